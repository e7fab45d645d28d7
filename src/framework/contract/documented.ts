/**
 * Documented: checks a value against the schema as documents describe it.
 *
 * The check uses the document's JSON Schema, which is the output side of the schema. If the schema accepts its own output, the
 * schema itself also runs, since it may be stricter than JSON Schema.
 *
 * Spec: spec/contracts.md
 */
import { isThenable } from "../internal/thenable.ts";
import { validatorOf } from "./input.ts";
import { jsonChecker } from "./json-check.ts";
import { jsonSchemaOf, type JsonSchemaOf, objectOf } from "./json-schema.ts";
import {
  type Checked,
  type Checker,
  checkerOf,
  isRejected,
  isStandard,
  listed,
  type Schema,
  type SchemaIssue,
} from "./schema.ts";
import type { ShapeSettings } from "./shape.ts";

/** Checks values as documents describe them. @throws TypeError when a JSON Schema cannot be compiled. */
export function documentedChecker(
  what: string,
  schema: Schema,
  { compileSchema, jsonSchemaOf: convert }: ShapeSettings,
): Checker {
  return asDocumented(schema, checkerOf(validatorOf(what, schema, compileSchema)), convert);
}

/** Checks a value against the document's schema, and against the schema itself if that accepts its own output. */
function asDocumented(schema: Schema, own: Checker, convert: JsonSchemaOf | undefined): Checker {
  const output = jsonSchemaOf(schema, "output", convert);
  const isItself = !isStandard(schema) && jsonSchemaOf(schema, "output") !== undefined; // TypeBox, or a JSON Schema
  if (output === undefined || isItself) return own;
  const check = jsonChecker(output);
  const isOneSided = agree(jsonSchemaOf(schema, "input", convert), output);
  return function checkDocumented(value) {
    const issues = check(value);
    const documented: Checked = issues.length > 0 ? { issues } : { value };
    if (!isOneSided) return documented;
    const checked = own(value);
    const both = (one: Checked): Checked => (isRejected(one) ? { issues: together(one.issues, issues) } : documented);
    return isThenable(checked) ? checked.then(both) : both(checked);
  };
}

/** The schema's own issues, and the document's at other places: a schema may strip a member that the document rejects. */
function together(own: readonly unknown[], documented: readonly SchemaIssue[]): readonly unknown[] {
  const places = new Set(listed([[undefined, own]])[0].map(({ path }) => path.join("/")));
  return [...own, ...documented.filter(({ path }) => !places.has(path.join("/")))];
}

/** Allowed differences of the two sides, so that a value of one is still accepted by the other. */
const lenient: ReadonlySet<string> = new Set(["required", "additionalProperties", "default", "$schema"]);
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);

/**
 * Does a schema accept its own output? Then its sides are the same except for defaults and omitted members, and no part is
 * unknown, because `{}` may hide a Date or a transform.
 */
function agree(input: unknown, output: unknown): boolean {
  const [a, b] = [objectOf(input), objectOf(output)];
  if (a === undefined || b === undefined) return JSON.stringify(input) === JSON.stringify(output);
  const names = Object.keys({ ...a, ...b }).filter((name) => !lenient.has(name));
  const rests = [a["additionalProperties"], b["additionalProperties"]].map((rest) => objectOf(rest) ?? {});
  if (rests.every((rest) => Object.keys(rest).length > 0) && !agree(rests[0], rests[1])) return false;
  return names.length > 0 && names.every((name) => agreeIn(name, a[name], b[name]));
}

function agreeIn(keyword: string, a: unknown, b: unknown): boolean {
  if (maps.has(keyword)) {
    const [one, other] = [objectOf(a) ?? {}, objectOf(b) ?? {}];
    return Object.keys({ ...one, ...other }).every((name) => agree(one[name], other[name]));
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return agree(a, b);
  return a.length === b.length && a.every((one, at) => agree(one, b[at]));
}
