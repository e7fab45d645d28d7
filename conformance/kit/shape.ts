/**
 * Validates what a subject sent against the shapes of spec/, by Ajv under JSON Schema 2020-12, strict. A member that the
 * shape does not name is allowed: a later release may have it (D-versioning).
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";

const ajv = new Ajv2020({ strict: true, allErrors: false });
const compiled = new WeakMap<object, ValidateFunction>();

/** A sentence that says where the value does not fit, or undefined when it does. */
export function misfit<T extends TSchema>(schema: T, value: unknown): string | undefined {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(opened(schema) as object);
    compiled.set(schema, validate);
  }
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath === "" ? "it" : (first?.instancePath ?? "it")} ${first?.message ?? "does not fit"}`;
}

/** The shape without a word against members of other names, and without a name of its own: a part is judged by itself too. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (typeof schema !== "object" || schema === null) return schema;
  const rest = Object.entries(schema).filter(
    ([keyword, value]) => keyword !== "$id" && (keyword !== "additionalProperties" || value !== false),
  );
  return Object.fromEntries(rest.map(([keyword, value]) => [keyword, opened(value)]));
}
