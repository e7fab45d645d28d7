/**
 * The result of a call: a union with each documented status in exactly one member, so that `result.status` and `result.ok`
 * narrow it.
 *
 *   200: Order, 404: Missing, 4XX: Problem, default: Problem
 *     ──▶ Ok<200, Order> | Failed<404, Missing> | Failed<Exclude<FailureStatus, 404>, Problem>
 *
 * Statuses of one type share a member. `default` covers failures, and successes if none is documented. Without either, any
 * success
 * is `unknown`. If there are documented successes, others have no type, since otherwise `ok` could not narrow.
 */
import { isJson, type Json } from "../document/json.ts";
import type { Operation } from "../document/operations.ts";
import { contentKind, itemSchemaOf, mediaTypesOf } from "./media.ts";
import { eventsOf, kindOf, type EventData } from "./streams.ts";
import type { Types } from "./types.ts";

/** The members of the union, and the kinds of content of each status. */
export interface Outcome {
  readonly members: readonly string[];
  readonly kinds: ReadonlyMap<string, string>;
  readonly streams: Streams;
}

/** The documented streams of an operation. */
export interface Streams {
  /** The type of their items. */
  readonly items: readonly string[];
  /** The events, each name once. */
  readonly events: readonly EventData[];
  /** Are there lines of values? */
  readonly hasValues: boolean;
}

/** Reads the schemas of one operation. */
interface Reading {
  readonly document: Json;
  readonly types: Types;
  readonly method: string;
  /** The name of its items, if it has one. */
  readonly item: string | undefined;
  readonly items: Set<string>;
  readonly events: Map<string, EventData>;
  hasValues: boolean;
}

/** Statuses with the same type of content. */
interface Group {
  readonly type: string;
  readonly exact: readonly string[];
  readonly ranges: readonly string[];
  readonly isDefault: boolean;
}

const rangeNames: Readonly<Record<string, string>> = {
  "2XX": "SuccessStatus",
  "3XX": "RedirectStatus",
  "4XX": "ClientErrorStatus",
  "5XX": "ServerErrorStatus",
};

/** The result of the operation. @param item the name of the items of its stream, if it has nothing else as a success */
export function outcomeOf(document: Json, operation: Operation, types: Types, item?: string): Outcome {
  const { method } = operation;
  const reading: Reading = { document, types, method, item, items: new Set(), events: new Map(), hasValues: false };
  const found = [...operation.responses]
    .filter(([status]) => !status.startsWith("1"))
    .map(([status, response]) => ({ status, ...contentOf(reading, status, response) }));
  const successes = found.filter(({ status }) => status.startsWith("2"));
  const failures = found.filter(({ status }) => !status.startsWith("2"));
  const others = failures.some(isDefault) ? failures.filter(isDefault) : [anySuccess];
  const members = [
    ...membersOf("Ok", "SuccessStatus", groupsOf(successes.length > 0 ? successes : others)),
    ...membersOf("Failed", "FailureStatus", groupsOf(failures)),
  ];
  return {
    members,
    kinds: new Map(found.map(({ status, kinds }) => [status, kinds])),
    streams: { items: [...reading.items], events: [...reading.events.values()], hasValues: reading.hasValues },
  };
}

interface Content {
  readonly status: string;
  readonly type: string;
  readonly kinds: string;
}

const anySuccess: Content = { status: "2XX", type: "unknown", kinds: "any" };
const isDefault = ({ status }: Content): boolean => status === "default";

function contentOf(reading: Reading, status: string, response: Json): Omit<Content, "status"> {
  const media = mediaTypesOf(response);
  const isEmpty =
    ["204", "205"].includes(status) || (status.startsWith("3") && (media.length === 0 || status === "304"));
  if (reading.method === "HEAD" || isEmpty) return { type: "undefined", kinds: "none" };
  if (media.length === 0) return { type: "unknown", kinds: "any" };
  const kinds = media.map(([type]) => contentKind(type));
  const each = media.map(([type, one]) => typeOf(reading, type, one));
  return { type: [...new Set(each)].join(" | "), kinds: [...new Set(kinds)].join(" ") };
}

function typeOf(reading: Reading, type: string, media: Json): string {
  const { schema } = media;
  const kind = contentKind(type);
  const documented = kindOf(type, media);
  if (documented !== undefined) {
    const items = itemsOf(reading, documented, media);
    return `AsyncIterable<${reading.item ?? items}>`;
  }
  if (kind === "any" && isJson(schema) && schema["format"] === "binary") return "Blob";
  if (kind === "json" || kind === "any") return reading.types.of(schema, "  ", "output");
  if (kind === "text") return "string";
  if (kind === "events") return "AsyncIterable<ServerSentEvent>";
  return kind === "stream" ? "ReadableStream<Uint8Array> | null" : "Blob";
}

function itemsOf(reading: Reading, kind: "events" | "lines", media: Json): string {
  const { document, types } = reading;
  if (kind === "lines") reading.hasValues = true;
  const { type, data } =
    kind === "events"
      ? eventsOf(document, itemSchemaOf(media), types)
      : { type: types.of(itemSchemaOf(media), "  ", "output"), data: [] };
  for (const event of data) reading.events.set(event[0], event);
  reading.items.add(type);
  return type;
}

function groupsOf(found: readonly Content[]): readonly Group[] {
  return [...new Set(found.map(({ type }) => type))].map((type) => {
    const statuses = found.filter((one) => one.type === type).map(({ status }) => status);
    return {
      type,
      exact: statuses.filter((status) => /^\d+$/.test(status)),
      ranges: statuses.filter((status) => status.endsWith("XX")),
      isDefault: statuses.includes("default"),
    };
  });
}

function membersOf(member: "Ok" | "Failed", all: string, groups: readonly Group[]): readonly string[] {
  return groups.map((group) => {
    const others = groups.filter((one) => one !== group);
    const status = group.isDefault
      ? without(
          all,
          others.flatMap((one) => statusesOf(one, groups)),
        )
      : statusesOf(group, groups).join(" | ");
    return `${member}<${status}, ${group.type}>`;
  });
}

/** The statuses of a group, except those of `default`: a range without the statuses of another group. */
function statusesOf(group: Group, groups: readonly Group[]): readonly string[] {
  const elsewhere = groups.filter((one) => one !== group).flatMap(({ exact }) => exact);
  const inRanges = (status: string): boolean => group.ranges.some((range) => range.charAt(0) === status.charAt(0));
  return [
    ...group.exact.filter((status) => !inRanges(status)),
    ...group.ranges.map((range) =>
      without(
        rangeNames[range] ?? "number",
        elsewhere.filter((status) => status.charAt(0) === range.charAt(0)),
      ),
    ),
  ];
}

const without = (all: string, some: readonly string[]): string =>
  some.length === 0 ? all : `Exclude<${all}, ${some.join(" | ")}>`;
