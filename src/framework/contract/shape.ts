/**
 * Shape: a value as its schema returns it, before it becomes JSON.
 *
 *   value ──▶ pruned, if its library only checks ──▶ schema ──▶ { value } to send, or { issues }
 *                                                      └─ rejected: once more with its JSON (a Date is then a text)
 *
 * So members that the schema does not name are never sent, and its defaults and transforms are applied.
 *
 * Spec: spec/contracts.md
 */
import { isThenable } from "../internal/thenable.ts";
import { usageError } from "../internal/usage-errors.ts";
import { type InputSettings, validatorOf } from "./input.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { pruneBy } from "./prune.ts";
import { type Checked, checkerOf, isRejected, isStandard, type Schema } from "./schema.ts";

/** The value to send, or its issues. */
export type Shape = (value: unknown) => Checked;

/**
 * Makes a function that writes the JSON of a schema's values: `fast-json-stringify` is one. It leaves out what the schema does
 * not name, and throws for a value that it cannot write.
 */
export type CompileSerializer = (schema: never) => (value: never) => string;

/** The settings that a shape needs. */
export interface ShapeSettings extends Pick<InputSettings, "compileSchema" | "jsonSchemaOf"> {
  readonly compileSerializer?: CompileSerializer | undefined;
}

/**
 * The serializer of a schema, by the app's `compileSerializer`. Undefined without one, and for a schema without JSON Schema.
 *
 * @throws TypeError (`CONTRACT_INVALID`) naming `what` when the schema cannot be compiled.
 */
export function serializerOf(
  what: string,
  schema: Schema,
  { compileSerializer: compile, jsonSchemaOf: convert }: ShapeSettings,
): ((value: unknown) => string) | undefined {
  const output = compile === undefined ? undefined : jsonSchemaOf(schema, "output", convert);
  if (compile === undefined || output === undefined) return undefined;
  try {
    return compile(output as never) as (value: unknown) => string;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError("CONTRACT_INVALID", `${what} has no serializer: ${reason}`);
  }
}

/** Libraries with objects that drop unknown members themselves. */
const dropping: ReadonlySet<string> = new Set(["zod", "valibot"]);

/**
 * The shape of a schema.
 *
 * @throws TypeError (`CONTRACT_INVALID`) naming `what` when a JSON Schema cannot be compiled.
 */
export function shapeOf(what: string, schema: Schema, { compileSchema, jsonSchemaOf: convert }: ShapeSettings): Shape {
  const own = checkerOf(validatorOf(what, schema, compileSchema));
  const isDropping = isStandard(schema) && dropping.has(schema["~standard"].vendor);
  const output = isDropping ? undefined : jsonSchemaOf(schema, "output", convert);
  const prune = output === undefined ? undefined : pruneBy(output);
  const checked = (value: unknown): Checked => {
    const result = own(prune === undefined ? value : prune(value));
    if (isThenable(result)) throw asynchronous(what);
    return result;
  };
  return function shape(value) {
    const first = checked(value);
    if (!isRejected(first)) return first;
    const json = plain(value);
    return json === undefined ? first : checked(json.value); // Its issues are about the JSON that would be sent.
  };
}

/** A value as its JSON is parsed. Undefined when it has none. */
function plain(value: unknown): { readonly value: unknown } | undefined {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? undefined : { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const asynchronous = (what: string): TypeError =>
  usageError(
    "CONTRACT_INVALID",
    `${what} has an asynchronous schema, and a response is shaped synchronously: set responseChecks to "warn", "enforce" or "off"`,
  );
