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
import { contentKind, mediaTypesOf } from "./media.ts";
import type { Types } from "./types.ts";

/** The members of the union, and the kinds of content of each status. */
export interface Outcome {
  readonly members: readonly string[];
  readonly kinds: ReadonlyMap<string, string>;
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

/** The result of the operation. */
export function outcomeOf(operation: Operation, types: Types): Outcome {
  const found = [...operation.responses]
    .filter(([status]) => !status.startsWith("1"))
    .map(([status, response]) => ({ status, ...contentOf(operation, status, response, types) }));
  const successes = found.filter(({ status }) => status.startsWith("2"));
  const failures = found.filter(({ status }) => !status.startsWith("2"));
  const others = failures.some(isDefault) ? failures.filter(isDefault) : [anySuccess];
  const members = [
    ...membersOf("Ok", "SuccessStatus", groupsOf(successes.length > 0 ? successes : others)),
    ...membersOf("Failed", "FailureStatus", groupsOf(failures)),
  ];
  return { members, kinds: new Map(found.map(({ status, kinds }) => [status, kinds])) };
}

interface Content {
  readonly status: string;
  readonly type: string;
  readonly kinds: string;
}

const anySuccess: Content = { status: "2XX", type: "unknown", kinds: "any" };
const isDefault = ({ status }: Content): boolean => status === "default";

function contentOf({ method }: Operation, status: string, response: Json, types: Types): Omit<Content, "status"> {
  const media = mediaTypesOf(response);
  if (method === "HEAD" || ["204", "205", "304"].includes(status)) return { type: "undefined", kinds: "none" };
  if (media.length === 0) return { type: "unknown", kinds: "any" };
  const kinds = media.map(([type]) => contentKind(type));
  const each = media.map(([, one], at) => typeOf(kinds[at] ?? "binary", one["schema"], types));
  return { type: [...new Set(each)].join(" | "), kinds: [...new Set(kinds)].join(" ") };
}

function typeOf(kind: ReturnType<typeof contentKind>, schema: unknown, types: Types): string {
  if (kind === "any" && isJson(schema) && schema["format"] === "binary") return "Blob";
  if (kind === "json" || kind === "any") return types.of(schema, "  ", "output");
  if (kind === "text") return "string";
  if (kind === "events") return "AsyncIterable<ServerSentEvent>";
  return kind === "stream" ? "ReadableStream<Uint8Array> | null" : "Blob";
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
