/**
 * A JSON Schema as a form: the kind of field for a part of it, and whether a value is of that kind. Pure.
 *
 *   { $ref: "#/$defs/Line" } ──▶ resolved ──▶ fieldOf ──▶ text · number · choice · object · list · variants · json
 *
 * Not a validator, since the application itself says what it accepts. A part that no field can express is `json`.
 */

import type { Json, JsonObject } from "../../run/shapes.ts";
import { isObject, jsonOf, keysOf, textOf } from "../../run/values.ts";

/** A part of a schema as a field, with its parts. */
export type Field = { readonly schema: JsonObject } & (
  | { readonly kind: "text" | "number" | "json" }
  | { readonly kind: "choice"; readonly choices: readonly Json[] }
  | { readonly kind: "object"; readonly members: JsonObject; readonly required: readonly Json[] }
  | { readonly kind: "list"; readonly item: Json }
  | { readonly kind: "variants"; readonly variants: readonly Json[] }
);

/** The JSON value if it is an object, or else an empty one. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
/** The JSON value if it is a list, or else an empty one. */
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
/** Whether both are the same JSON. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The most references and parts that are followed; a longer chain leads nowhere. */
const MAX_HOPS = 50;

/** A schema without references and `allOf` at its top, merged with their targets. */
export function resolved(root: JsonObject, given: Json | undefined): JsonObject {
  const waiting = [given];
  let all: JsonObject = {};
  for (let hops = 0; hops < MAX_HOPS && waiting.length > 0; hops++) {
    const { $ref: ref, allOf, ...own } = objectOf(waiting.shift());
    all = both(own, all);
    if (typeof ref === "string") waiting.push(lookUp(root, ref));
    waiting.push(...listOf(allOf));
  }
  return all;
}

/** A value of both schemas. If they differ in a keyword, the second wins. */
function both(a: JsonObject, b: JsonObject): JsonObject {
  return {
    ...a,
    ...b,
    properties: { ...objectOf(a["properties"]), ...objectOf(b["properties"]) },
    required: [...listOf(a["required"]), ...listOf(b["required"])],
  };
}

/** The target of a reference, which is a JSON pointer into the schema, or the name of one of its definitions. */
function lookUp(root: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith("#")) return objectOf(root["$defs"])[ref];
  try {
    return valueAt(root, keysOf(decodeURIComponent(ref.slice(1))));
  } catch {
    return undefined;
  }
}

/** A key as a step of a JSON pointer. */
export const stepTo = (key: string | number): string => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** The value at these keys, or undefined if there is none. */
export const valueAt = (value: Json | undefined, keys: readonly (string | number)[]): Json | undefined =>
  keys.reduce<Json | undefined>((at, key) => {
    if (Array.isArray(at)) return listOf(at)[Number(key)];
    return Object.hasOwn(objectOf(at), key) ? objectOf(at)[key] : undefined;
  }, value);

/** The values that a schema names, or undefined if it names none. */
function choicesOf(root: JsonObject, schema: JsonObject, depth = 3): readonly Json[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return listOf(schema["enum"]);
  if (schema["type"] === "boolean") return [true, false];
  if (schema["type"] === "null") return [null];
  const found = depth === 0 ? [] : alternatives(schema).map((one) => choicesOf(root, resolved(root, one), depth - 1));
  return found.length > 0 && found.every((one) => one !== undefined) ? found.flat() : undefined;
}

/** The schemas of a choice, of which a value takes one. */
function alternatives(schema: JsonObject): readonly Json[] {
  const { type, anyOf, oneOf = anyOf, ...rest } = without(schema, ["default", "examples"]);
  if (Array.isArray(type)) return listOf(type).map((one) => ({ ...rest, type: one }));
  return listOf(oneOf).map((one) => (isEmpty(rest["properties"]) ? one : { allOf: [one, rest] }));
}

const isEmpty = (value: Json | undefined): boolean => Object.keys(objectOf(value)).length === 0;

const without = (schema: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

/** The field for a part of a schema. With `texts` its values are texts, or lists of them, as in a query or a form. */
export function fieldOf(root: JsonObject, given: Json | undefined, texts = false): Field {
  const schema = resolved(root, given);
  const { type, items, properties } = schema;
  const choices = choicesOf(root, schema);
  if (choices) return { schema, kind: "choice", choices: texts ? choices.map(textOf) : choices };
  const variants = alternatives(schema);
  if (texts && variants.length > 0)
    return (
      variants.map((one) => fieldOf(root, one, texts)).find(({ kind }) => kind === "list") ?? { schema, kind: "text" }
    );
  if (variants.length > 0) return { schema, kind: "variants", variants };
  if (type === "array" && items !== undefined && schema["prefixItems"] === undefined)
    return { schema, kind: "list", item: items };
  if (texts || type === "string") return { schema, kind: "text" };
  if (type === "number" || type === "integer") return { schema, kind: "number" };
  return isEmpty(properties)
    ? { schema, kind: "json" }
    : { schema, kind: "object", members: objectOf(properties), required: listOf(schema["required"]) };
}

/** Whether the field can show that value. It can show an absent one. */
export function fits(field: Field, value: Json | undefined): boolean {
  if (value === undefined || field.kind === "json" || field.kind === "variants") return true;
  if (field.kind === "choice") return field.choices.some((one) => isSame(one, value));
  if (field.kind === "object") return isObject(value);
  if (field.kind === "list") return Array.isArray(value);
  return typeof value === (field.kind === "text" ? "string" : "number");
}

/** The variant of a value: the first with its required members and constants; -1 for none. */
export function variantOf(root: JsonObject, variants: readonly Json[], value: Json | undefined): number {
  const fields = variants.map((one) => fieldOf(root, one));
  const isWhole = (field: Field): boolean =>
    field.kind !== "object" ||
    (field.required.every((name) => Object.hasOwn(objectOf(value), String(name))) &&
      Object.entries(field.members).every(([name, member]) => {
        const { const: constant } = resolved(root, member);
        return constant === undefined || isSame(constant, objectOf(value)[name]);
      }));
  const whole = fields.findIndex((field) => fits(field, value) && isWhole(field));
  return whole >= 0 ? whole : fields.findIndex((field) => fits(field, value));
}

/** The value of a JSON text, or undefined if it is not JSON, or if writing it again would change more than its spaces. */
export function exactJson(text: string): Json | undefined {
  const value = jsonOf(text);
  const dense = text.replace(/"(?:\\.|[^"\\])*"?|\s+/g, (part) => (part.startsWith('"') ? part : ""));
  return JSON.stringify(value) === dense ? value : undefined;
}
