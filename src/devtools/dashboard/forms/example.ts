/**
 * An example of a schema: a value that it accepts, the same each time. Pure.
 *
 *   { type: "object", properties: { sku: { type: "string" }, note: … }, required: ["sku"] } ──▶ { sku: "text" }
 *
 * Its defaults and examples are taken first. It has the required members, and those with a default. If a text must
 * match a pattern, a few dozen texts are tried. `not`, `if` and the like are ignored.
 */

import type { Json, JsonObject } from "../../run/shapes.ts";
import { fieldOf, listOf, type Field } from "./schema.ts";

/** The depth from which an example ends as soon as possible, and the depth at which it ends. */
const DEEP = 3;
const DEEPEST = 8;
const MAX_ITEMS = 100;
const MAX_TEXT = 10_000;
const MAX_VALUES = 2_000;

/** A value that the schema accepts. */
export function exampleOf(root: JsonObject, schema: Json | undefined): Json {
  let left = MAX_VALUES;
  function example(one: Json | undefined, depth: number): Json {
    const field = fieldOf(root, one);
    const declared = field.schema["default"] ?? listOf(field.schema["examples"])[0];
    left -= 1;
    if (declared !== undefined) return declared;
    if (depth > DEEPEST || left < 0) return null;
    return made(root, field, depth, (inner) => example(inner, depth + 1));
  }
  return example(schema, 0);
}

function made(root: JsonObject, field: Field, depth: number, within: (one: Json | undefined) => Json): Json {
  const { schema } = field;
  switch (field.kind) {
    case "choice":
      return field.choices[0] ?? null;
    case "number":
      return numberOf(schema);
    case "text":
      return textOf(schema);
    case "list":
      return Array.from({ length: lengthOf(schema, depth) }, () => within(field.item));
    case "object":
      return Object.fromEntries(namesOf(root, field).map((name) => [name, within(field.members[name])]));
    case "variants":
      return within(field.variants.find((one) => depth < DEEP || isShallow(fieldOf(root, one))) ?? field.variants[0]);
    default:
      return schema["type"] === "array" ? listOf(schema["prefixItems"]).map(within) : {};
  }
}

const isShallow = ({ kind }: Field): boolean => kind === "choice" || kind === "text" || kind === "number";

const given = (value: Json | undefined, otherwise: number): number => (typeof value === "number" ? value : otherwise);

function lengthOf({ minItems, maxItems }: JsonObject, depth: number): number {
  return Math.min(Math.max(given(minItems, 0), depth < DEEP ? 1 : 0), given(maxItems, MAX_ITEMS), MAX_ITEMS);
}

function namesOf(root: JsonObject, { schema, members, required }: Field & { readonly kind: "object" }): string[] {
  const names = Object.keys(members);
  const isWanted = (name: string): boolean =>
    required.includes(name) || fieldOf(root, members[name]).schema["default"] !== undefined;
  const wanted = names.filter(isWanted);
  const others = names.filter((name) => !isWanted(name));
  return [...wanted, ...others].slice(0, Math.max(wanted.length, given(schema["minProperties"], 0)));
}

/** 1 if it is allowed, otherwise a number near one of its bounds. */
function numberOf(schema: JsonObject): number {
  const [over, under] = [given(schema["exclusiveMinimum"], -Infinity), given(schema["exclusiveMaximum"], Infinity)];
  const low = Math.max(given(schema["minimum"], -Infinity), over);
  const high = Math.min(given(schema["maximum"], Infinity), under);
  const step = given(schema["multipleOf"], 1);
  const isMultiple = (n: number): boolean =>
    (schema["multipleOf"] === undefined || Number.isInteger(n / step)) &&
    (schema["type"] !== "integer" || Number.isInteger(n));
  const [first, last] = [Math.ceil(low / step) * step, Math.floor(high / step) * step];
  const tried = [1, first, first + step, last, last - step, low, high, (low + high) / 2, 0];
  return tried.find((n) => n >= low && n <= high && n > over && n < under && isMultiple(n)) ?? 0;
}

const SAMPLES: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  time: "12:00:00Z",
  duration: "P1D",
  email: "ada@example.com",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  uri: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

function textOf({ format, pattern, minLength, maxLength }: JsonObject): string {
  const [least, most] = [given(minLength, 0), given(maxLength, Infinity)];
  const plain = "text".padEnd(Math.min(least, MAX_TEXT), "x").slice(0, most);
  const sample = SAMPLES[String(format)] ?? plain;
  if (typeof pattern !== "string") return sample;
  const repeated = ["a", "A", "0"].flatMap((char) => Array.from({ length: 33 }, (_, length) => char.repeat(length)));
  const tried = [sample, plain, ...Object.values(SAMPLES), "2026-01", "1.00", "a-b", ...repeated];
  try {
    const wanted = new RegExp(pattern, "u");
    return tried.find((text) => text.length >= least && text.length <= most && wanted.test(text)) ?? plain;
  } catch {
    return plain; // a pattern of another dialect
  }
}
