/**
 * Validates the subject's output against the shapes of spec/, with Ajv in strict mode under JSON Schema 2020-12.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";

const ajv = new Ajv2020({ strict: true, allErrors: false });
const compiled = new WeakMap<object, ValidateFunction>();

/** A sentence that says where the value does not match, or undefined if it matches. */
export function misfit<T extends TSchema>(schema: T, value: unknown): string | undefined {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath === "" ? "it" : (first?.instancePath ?? "it")} ${first?.message ?? "does not fit"}`;
}
