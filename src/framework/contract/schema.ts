/**
 * Schemas: checks one value against a schema of any library. The framework depends on no library and only knows their
 * interfaces.
 *
 *   value ──▶ schema ──▶ { value } as the schema returns it, or { issues }; a promise only if the schema returns one
 *
 * A schema is one of these, tried in this order: a Standard Schema, a compiled TypeBox validator, an object with `parse`, a
 * function, and, after the app's `compileSchema`, a JSON Schema.
 *
 * Spec: spec/context.md, spec/contracts.md
 */
import { HttpError, type ProblemIssue, type RequestPart, UnprocessableContentError } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";

/** https://standardschema.dev, the used part. */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** A compiled TypeBox validator, the used part. */
export interface CompiledValidator {
  Check(value: unknown): boolean;
  Errors(value: unknown): Iterable<object>;
}

/** An object that returns the value or throws. */
export interface Parser<T> {
  parse(value: unknown): T;
}

/** The argument of `ctx.body`: any of the four forms. */
export type BodyType<T = unknown> = StandardSchema<T> | CompiledValidator | Parser<T> | ((value: unknown) => T);

/** A JSON Schema (draft 2020-12) that is not a validator yet: a plain TypeBox type, or a literal one. */
export interface JsonSchema {
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly anyOf?: unknown;
  readonly allOf?: unknown;
  readonly oneOf?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly $ref?: unknown;
}

/** The schemas of a contract: the forms of `ctx.body`, and a JSON Schema if the app has a `compileSchema`. */
export type Schema = BodyType | JsonSchema;

/**
 * The types of JSON Schemas, by library. Extend it:
 * `declare module "framework" { interface SchemaTypes<S> { typebox: S extends TSchema ? Static<S> : never } }`.
 */
export interface SchemaTypes<S> {
  /** Unused. It names the parameter for extensions. */
  readonly "~": [S] extends [never] ? S : never;
}

/**
 * The result type of `ctx.body(type)`, and of a part of `ctx.input`. An editor computes it for every route, so the most
 * frequent form comes first and takes one check, and no check is repeated.
 */
export type BodyOf<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer O } | undefined };
}
  ? O
  : S extends { readonly form: infer F }
    ? S extends { readonly multipart: { read(source: never): Promise<{ readonly files: infer Files }> } }
      ? { readonly fields: BodyOf<F>; readonly files: Files }
      : BodyOf<F>
    : S extends { Check(value: unknown): value is infer T }
      ? T
      : S extends { parse(value: unknown): infer T }
        ? Awaited<T>
        : S extends ((value: unknown) => value is infer T)
          ? T
          : S extends (value: unknown) => infer T
            ? Awaited<T>
            : SchemaTypes<S>[keyof SchemaTypes<S>] extends infer T
              ? [T] extends [never]
                ? unknown
                : T
              : unknown;

/** A schema's result for a value. Issues as its library names them. */
export type Checked = { readonly value: unknown } | { readonly issues: readonly unknown[] };

/** Checks a value against one schema. Returns a promise only if the schema does. */
export type Checker = (value: unknown) => Checked | Promise<Checked>;

/** An error that a schema finds, with its place. */
export type SchemaIssue = Pick<ProblemIssue, "path" | "message">;

/** Did the schema reject it? */
export const isRejected = (checked: Checked): checked is { readonly issues: readonly unknown[] } => "issues" in checked;

/** Is it a Standard Schema? */
export const isStandard = (schema: Schema): schema is StandardSchema<unknown> => "~standard" in schema;

/** Can it check a value? */
export function isBodyType(schema: unknown): schema is BodyType {
  if (typeof schema === "function") return true;
  if (typeof schema !== "object" || schema === null) return false;
  return "~standard" in schema || "Check" in schema || ("parse" in schema && typeof schema.parse === "function");
}

/**
 * `value` as the schema returns it, or its issues.
 *
 * @throws HttpError thrown by `parse` or a function, and any error of the `validate` of a Standard Schema.
 */
export const check = (value: unknown, schema: BodyType): Checked | Promise<Checked> => checkerOf(schema)(value);

/** `check` for one schema, with its form determined once. */
export function checkerOf(schema: BodyType): Checker {
  if ("~standard" in schema) {
    const standard = schema["~standard"];
    return function checkStandard(value) {
      const result = standard.validate(value);
      if (typeof result === "object" && result !== null && !("then" in result)) return ofStandard(result);
      return isThenable(result) ? Promise.resolve(result).then(ofStandard) : ofStandard(result);
    };
  }
  if (typeof schema === "function")
    return (value) =>
      attempt(
        () => schema(value),
        (result) => ofFunction(value, result),
      );
  if ("Check" in schema)
    return (value) => (schema.Check(value) ? { value } : { issues: firstOf(schema.Errors(value)) });
  return (value) =>
    attempt(
      () => schema.parse(value),
      (result) => ({ value: result }),
    );
}

function ofStandard(result: unknown): Checked {
  const { value, issues } = typeof result === "object" && result !== null ? (result as StandardResult) : noResult;
  return Array.isArray(issues) ? { issues } : { value };
}

/** The result of `validate` of a Standard Schema, if it is valid. */
interface StandardResult {
  readonly value?: unknown;
  readonly issues?: unknown;
}
const noResult: StandardResult = {};

function ofFunction(value: unknown, result: unknown): Checked {
  if (result === false) return { issues: [{ path: [], message: "rejected" }] };
  return { value: result === true ? value : result };
}

/** The result of `run`, awaited. Its errors become issues, except an HttpError. */
function attempt(run: () => unknown, checkedOf: (result: unknown) => Checked): Checked | Promise<Checked> {
  try {
    const result = run();
    return isThenable(result) ? Promise.resolve(result).then(checkedOf, rejected) : checkedOf(result);
  } catch (error) {
    return rejected(error);
  }
}

function rejected(error: unknown): Checked {
  if (error instanceof HttpError) throw error;
  const issues = field(error, "issues") ?? field(error, "errors");
  if (Array.isArray(issues)) return { issues };
  return { issues: [{ path: [], message: error instanceof Error ? error.message : "rejected" }] };
}

const field = (from: unknown, name: string): unknown =>
  typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;

/** An issue as any of the libraries reports it: `path` as a list (of keys or `{ key }`), or `instancePath` as a JSON pointer. */
function issueOf(issue: unknown): SchemaIssue {
  const message = field(issue, "message");
  const path = field(issue, "path") ?? field(issue, "instancePath");
  return { path: pathOf(path), message: typeof message === "string" ? message : "rejected" };
}

function pathOf(path: unknown): (string | number)[] {
  if (typeof path === "string")
    return path
      .split("/")
      .slice(1)
      .map((key) => (/^\d+$/.test(key) ? Number(key) : key.replaceAll("~1", "/").replaceAll("~0", "~")));
  if (!Array.isArray(path)) return [];
  return path.map((step: unknown) => {
    const key = field(step, "key") ?? step;
    return typeof key === "number" ? key : String(key);
  });
}

/** A path as a JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Maximum number of issues in one response, and maximum characters of their paths and messages. */
const MAX_ISSUES = 100;
const MAX_CHARACTERS = 65_536;

/** The listed ones and one more, so that a lazy list is not read further. */
function firstOf(found: Iterable<unknown>): readonly unknown[] {
  const first: unknown[] = [];
  for (const one of found) if (first.push(one) > MAX_ISSUES) break;
  return first;
}

/**
 * Issues as a problem lists them, each with a JSON pointer into its part, and the number of omitted ones. A body of a megabyte
 * may have half a million issues, or a hundred that each repeat a name of half a megabyte.
 */
export function listed(
  rejected: readonly (readonly [part: RequestPart | undefined, found: readonly unknown[]])[],
): readonly [issues: readonly ProblemIssue[], more: number] {
  const issues: ProblemIssue[] = [];
  let characters = 0;
  let all = 0;
  for (const [part, found] of rejected) {
    all += found.length;
    for (const one of found) {
      if (issues.length === MAX_ISSUES || characters > MAX_CHARACTERS) break;
      const { path, message } = issueOf(one);
      const pointer = pointerOf(path);
      issues.push({ in: part, path, pointer, message });
      characters += pointer.length + message.length;
    }
  }
  return [issues, all - issues.length];
}

/** The one error (422) for the parts of a request that schemas reject. */
export const unprocessable = (
  rejected: readonly (readonly [part: RequestPart, found: readonly unknown[]])[],
): UnprocessableContentError => new UnprocessableContentError(...listed(rejected));
