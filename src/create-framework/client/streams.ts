/**
 * Streams: the items of `text/event-stream` and of lines of JSON, as types, and how a client reads them.
 *
 *   itemSchema { oneOf: [{ properties: { event: { const: "tick" }, data: { contentSchema } } }, …] }
 *     ──▶ TypedEvent<"tick", Tick> | …, and [["tick", "json"], …]
 */
import { has, isJson, listIn, objectIn, textIn, textsIn, type Json } from "../document/json.ts";
import { followed, type Operation } from "../document/operations.ts";
import { contentKind, isJsonType, itemSchemaOf, mediaTypesOf } from "./media.ts";
import { literal } from "./text.ts";
import type { Types } from "./types.ts";

/** The name of an event, `*` for any, and whether its data is `json` or `text`. */
export type EventData = readonly [name: string, data: "json" | "text"];

/** The events that the document names, each name once. */
export interface DocumentedEvents {
  readonly type: string;
  readonly data: readonly EventData[];
}

/** The events of an item schema: one event, or one of several. */
export function eventsOf(document: Json, itemSchema: unknown, types: Types): DocumentedEvents {
  const schema = followed(document, itemSchema);
  const alternatives =
    [listIn(schema["oneOf"]), listIn(schema["anyOf"]), [schema]].find((list) => list.length > 0) ?? [];
  const data = new Map<string, "json" | "text">();
  const members = alternatives.map((one) => {
    const properties = objectIn(followed(document, one)["properties"]);
    const names = namesOf(followed(document, properties["event"]), has(properties, "event"));
    const { type, kind } = dataOf(document, properties["data"], types);
    for (const name of names) data.set(name, kind);
    return `TypedEvent<${names.map((name) => (name === "*" ? "string" : literal(name))).join(" | ")}, ${type}>`;
  });
  return { type: [...new Set(members)].join(" | "), data: [...data] };
}

/** An event without that field is a `message`. */
function namesOf(schema: Json, isNamed: boolean): readonly string[] {
  const names = [textIn(schema["const"]) ?? [], textsIn(schema["enum"])].flat();
  return names.length > 0 ? names : [isNamed ? "*" : "message"];
}

/** JSON in a text has its schema beside it, or its schema is the one of the value. Else the data is the text. */
function dataOf(
  document: Json,
  given: unknown,
  types: Types,
): { readonly type: string; readonly kind: "json" | "text" } {
  const schema = followed(document, given);
  const media = textIn(schema["contentMediaType"]);
  const isInText = has(schema, "contentSchema") || (media !== undefined && isJsonType(media));
  if (isInText) return { type: types.of(schema["contentSchema"], "  ", "output"), kind: "json" };
  if (Object.keys(schema).length === 0) return { type: "string", kind: "text" };
  return { type: types.of(given, "  ", "output"), kind: isText(schema) ? "text" : "json" };
}

const isText = (schema: Json): boolean =>
  [schema["const"], ...listIn(schema["enum"])].some((one) => typeof one === "string") || schema["type"] === "string";

/** The streams of an operation, if a success may be nothing else. */
export function streamOf({ responses }: Operation): "events" | "lines" | undefined {
  const successes = [...responses].filter(([status]) => /^2(?!0[45])/.test(status));
  const media = successes.flatMap(([, response]) => mediaTypesOf(response).map((one) => kindOf(...one)));
  const isOne = successes.every(([, response]) => mediaTypesOf(response).length > 0) && new Set(media).size === 1;
  return isOne ? media[0] : undefined;
}

/** The kind of a stream with documented items. */
export function kindOf(type: string, media: Json): "events" | "lines" | undefined {
  const kind = contentKind(type);
  const isDocumented = isJson(itemSchemaOf(media)) && (kind === "events" || kind === "stream");
  return isDocumented ? (kind === "events" ? kind : "lines") : undefined;
}
