/**
 * Examples: the one of the document, else a value that its schema allows.
 *
 *   example, examples ──▶ that · { type: "object", properties } ──▶ a value for each property · enum ──▶ the first
 *
 * Patterns are ignored, so a text with a pattern may not match it.
 */
import { has, isJson, listIn, objectIn, textIn, textsIn, type Json } from "../document/json.ts";
import { followed, target } from "../document/operations.ts";
import { isLeftOut } from "../document/sides.ts";

/** From this depth on, and after so many values, optional properties and items are left out. */
const [MAX_DEPTH, MAX_VALUES] = [5, 500];
/** Required ones end here: a schema that demands itself has no end. */
const [MAX_STEPS, MAX_REQUIRED] = [40, 5000];

/** An example in progress. */
interface Making {
  readonly document: Json;
  /** The values so far. */
  count: number;
}

/** The example of a content: its own, or one of its schema. */
export function exampleOf(document: Json, media: Json): unknown {
  if (has(media, "example")) return media["example"];
  const [first] = Object.values(objectIn(media["examples"]));
  const given = first === undefined ? {} : followed(document, first);
  if (has(given, "value")) return given["value"];
  if (has(given, "dataValue")) return given["dataValue"];
  return valueOf(document, media["schema"]);
}

/** A value that a schema allows. */
export const valueOf = (document: Json, schema: unknown): unknown => made({ document, count: 0 }, schema, 0);

function made(making: Making, schema: unknown, depth: number): unknown {
  making.count += 1;
  if (!isJson(schema) || depth > MAX_STEPS || making.count > MAX_REQUIRED) return null;
  const [given] = listIn(schema["examples"]);
  for (const one of [schema["example"], given, schema["default"], schema["const"], listIn(schema["enum"])[0]])
    if (one !== undefined) return one;
  const reference = textIn(schema["$ref"]);
  const schemas = [
    ...(reference === undefined ? [] : [target(making.document, reference)]),
    ...listIn(schema["allOf"]),
    ...["oneOf", "anyOf"].flatMap((keyword) => listIn(schema[keyword]).slice(0, 1)),
  ];
  const parts = schemas.map((one) => made(making, one, depth + 1));
  if (typed(schema) !== undefined) parts.push(ownOf(making, schema, depth));
  const objects = parts.filter(isJson);
  return objects.length > 0 ? Object.fromEntries(objects.flatMap((one) => Object.entries(one))) : (parts[0] ?? null);
}

const isOptionalMade = ({ count }: Making, depth: number): boolean => depth < MAX_DEPTH && count < MAX_VALUES;

function typed(schema: Json): string | undefined {
  const [type] = [schema["type"]].flat().filter((one) => one !== "null");
  if (typeof type === "string") return type;
  if (has(schema, "properties")) return "object";
  return has(schema, "items") || has(schema, "prefixItems") ? "array" : undefined;
}

function ownOf(making: Making, schema: Json, depth: number): unknown {
  const type = typed(schema);
  if (type === "object") return objectOf(making, schema, depth);
  if (type === "array") return itemsOf(making, schema, depth);
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return numberOf(schema);
  return type === "string" ? textFor(schema) : null;
}

function objectOf(making: Making, schema: Json, depth: number): Json {
  const required = new Set(textsIn(schema["required"]));
  const entries: [string, unknown][] = [];
  for (const [name, one] of Object.entries(objectIn(schema["properties"])))
    if ((required.has(name) || isOptionalMade(making, depth)) && !isLeftOut(making.document, one, "output"))
      entries.push([name, made(making, one, depth + 1)]);
  return Object.fromEntries(entries);
}

function itemsOf(making: Making, schema: Json, depth: number): readonly unknown[] {
  const first = listIn(schema["prefixItems"]);
  if (first.length > 0) return first.map((one) => made(making, one, depth + 1));
  const least = Math.min(numberIn(schema["minItems"]) ?? (isOptionalMade(making, depth) ? 1 : 0), 10);
  return Array.from({ length: least }, () => made(making, schema["items"], depth + 1));
}

const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

function numberOf(schema: Json): number {
  const above = numberIn(schema["exclusiveMinimum"]);
  const least = numberIn(schema["minimum"]) ?? (above === undefined ? undefined : above + 1) ?? 1;
  const most = numberIn(schema["maximum"]) ?? Infinity;
  const step = numberIn(schema["multipleOf"]);
  return Math.min(step === undefined ? least : Math.ceil(least / step) * step, most);
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  email: "a@example.com",
  uuid: "00000000-0000-4000-8000-000000000000",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

function textFor(schema: Json): string {
  const format = textIn(schema["format"]) ?? "";
  const text = has(formats, format) ? (formats[format] ?? "") : "text";
  return text
    .padEnd(Math.min(numberIn(schema["minLength"]) ?? 0, 1000), "x")
    .slice(0, numberIn(schema["maxLength"]) ?? text.length + 1000);
}
