/**
 * Is a value of a JSON Schema sent as a text or as JSON? A string is sent as `text/plain`, anything else as JSON.
 *
 *   { type: "string" } ──▶ text      { type: "object" } ──▶ json      anyOf both, or unknown ──▶ either
 *
 * Spec: spec/contracts.md
 */
import { type JsonSchemaSource, objectOf, referred } from "./json-schema.ts";

/** How values of a schema are sent. */
export type TextOrJson = "text" | "json" | "either";

/** How values of that JSON Schema are sent. Without one it is unknown. */
export function textOrJson(schema: JsonSchemaSource | undefined): TextOrJson {
  if (schema === undefined) return "either";
  if (!mayBe("string", schema, schema)) return "json";
  return mayBe("no string", schema, schema) ? "either" : "text";
}

/**
 * May a value of that schema be a string, or a non-string?
 *
 * @param seen the references that led here, since one that leads to itself proves nothing
 */
function mayBe(
  what: "string" | "no string",
  whole: JsonSchemaSource,
  schema: JsonSchemaSource,
  seen: readonly unknown[] = [],
): boolean {
  const { $ref: ref, type, anyOf, oneOf, allOf } = schema;
  const fits = (one: unknown): boolean => (one === "string") === (what === "string");
  const inner = (one: unknown): boolean => {
    const part = objectOf(one);
    return part === undefined ? one === true : mayBe(what, whole, part, [...seen, ref]);
  };
  const values = "const" in schema ? [schema["const"]] : schema["enum"];
  const objectOrList = ["properties", "additionalProperties", "items", "prefixItems"].some((name) => name in schema);
  return (
    (typeof ref !== "string" || seen.includes(ref) || inner(referred(whole, ref))) &&
    (!Array.isArray(values) || values.some((one) => fits(typeof one))) &&
    (type === undefined ? !objectOrList || what === "no string" : [type].flat().some(fits)) &&
    [anyOf, oneOf].every((list) => !Array.isArray(list) || list.some(inner)) &&
    (!Array.isArray(allOf) || allOf.every(inner))
  );
}
