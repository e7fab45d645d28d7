/**
 * Media types: which content a client accepts, and what it makes of each type.
 *
 *   application/json, …+json ──▶ json · text/* ──▶ text · text/event-stream ──▶ events · anything else ──▶ binary
 *   a range of all types ──▶ any of them
 *
 * The generated client has the same rules for responses (templates/client/runtime.ts).
 */
import { isJson, objectIn, type Json } from "../document/json.ts";

/** Is it JSON? */
export const isJsonType = (type: string): boolean => /[/+]json\s*(?:;|$)/i.test(type);

/** Media types of a request or a response, each with its definition. */
export const mediaTypesOf = (holder: Json): readonly (readonly [type: string, media: Json])[] =>
  Object.entries(objectIn(holder["content"])).filter((entry): entry is [string, Json] => isJson(entry[1]));

/** The media type that a client sends: JSON if there is any, else the first. */
export function mediaIn(holder: Json): readonly [type: string, media: Json] | undefined {
  const all = mediaTypesOf(holder);
  return all.find(([type]) => isJsonType(type)) ?? all[0];
}

/** The kind of content of that type for a client. */
export function contentKind(type: string): "json" | "text" | "events" | "stream" | "any" | "binary" {
  const name = type.split(";")[0]?.trim().toLowerCase() ?? "";
  if (isJsonType(name)) return "json";
  if (name === "text/event-stream") return "events";
  if (/^(?:\*|application)\/\*$/.test(name)) return "any";
  if (/^application\/(?:x-ndjson|jsonl|json-seq)$/.test(name)) return "stream";
  return /^text\/|[/+](?:xml|yaml)$|^application\/x-www-form-urlencoded$/.test(name) ? "text" : "binary";
}

/** The schema of each item of a stream: `itemSchema` of 3.2, or in 3.1 the `contentSchema` of its text. */
export const itemSchemaOf = (media: Json): unknown => media["itemSchema"] ?? objectIn(media["schema"])["contentSchema"];
