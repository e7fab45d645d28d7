/**
 * Schemas: one value held against a schema of any library. The framework depends on none of them: it knows their shapes.
 *
 *   value ──▶ schema ──▶ { value } as the schema returns it, or { issues }; a promise only where the schema gives one
 *
 * A schema is the first that fits of: a Standard Schema, a compiled TypeBox validator, an object with `parse`, a
 * function, and, once compiled by the app's `compileSchema`, a JSON Schema.
 *
 * Spec: spec/context.md, spec/contracts.md
 */
import { HttpError, type ProblemIssue, type RequestPart, UnprocessableContentError } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";

/** https://standardschema.dev, the part that is used. */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): unknown;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** A compiled TypeBox validator, the part that is used. */
export interface CompiledValidator {
  Check(value: unknown): boolean;
  Errors(value: unknown): Iterable<object>;
}

/** An object that returns the value or throws. */
export interface Parser<T> {
  parse(value: unknown): T;
}

/** What `ctx.body` takes: any of the four forms. */
export type BodyType<T = unknown> = StandardSchema<T> | CompiledValidator | Parser<T> | ((value: unknown) => T);

/** A JSON Schema (draft 2020-12) that is no validator yet: a plain TypeBox type, or one written by hand. */
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

/** What a contract takes: the forms of `ctx.body`, and a JSON Schema where the app has a `compileSchema`. */
export type Schema = BodyType | JsonSchema;

/**
 * The types of JSON Schemas, by the library that knows them. Open:
 * `declare module "framework" { interface SchemaTypes<S> { typebox: S extends TSchema ? Static<S> : never } }`.
 */
export interface SchemaTypes<S> {
  /** Nothing: it names the parameter for those who add to it. */
  readonly "~": [S] extends [never] ? S : never;
}

/**
 * What `ctx.body(type)` resolves to, and a part of `ctx.input` is. An editor works it out for every route: the most frequent
 * form comes first and is one question, and nothing here is asked twice.
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

/** What a schema makes of a value; issues as its library names them. */
export type Checked = { readonly value: unknown } | { readonly issues: readonly unknown[] };

/** Holds a value against one schema; a promise only where the schema gives one. */
export type Checker = (value: unknown) => Checked | Promise<Checked>;

/** What a schema finds wrong, and where. */
export type SchemaIssue = Pick<ProblemIssue, "path" | "message">;

/** Did the schema reject it? */
export const isRejected = (checked: Checked): checked is { readonly issues: readonly unknown[] } => "issues" in checked;

/** Is it a Standard Schema? */
export const isStandard = (schema: Schema): schema is StandardSchema<unknown> => "~standard" in schema;

/** Can a value be held against it? */
export function isBodyType(schema: unknown): schema is BodyType {
  if (typeof schema === "function") return true;
  if (typeof schema !== "object" || schema === null) return false;
  return "~standard" in schema || "Check" in schema || ("parse" in schema && typeof schema.parse === "function");
}

/**
 * `value` as the schema returns it, or its issues.
 *
 * @throws HttpError one that `parse` or a function throws; whatever the `validate` of a Standard Schema throws.
 */
export const check = (value: unknown, schema: BodyType): Checked | Promise<Checked> => checkerOf(schema)(value);

/** `check` for one schema: what form it has is asked once. */
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

/** What `validate` of a Standard Schema returns, where it keeps to it. */
interface StandardResult {
  readonly value?: unknown;
  readonly issues?: unknown;
}
const noResult: StandardResult = {};

function ofFunction(value: unknown, result: unknown): Checked {
  if (result === false) return { issues: [{ path: [], message: "rejected" }] };
  return { value: result === true ? value : result };
}

/** What `run` returns, or resolves to; what it throws are issues, except an HttpError. */
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

/** An issue as any of the libraries reports it: `path` a list (of keys or `{ key }`), or `instancePath` a JSON pointer. */
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

/** Issues that one response lists at most, and what their paths and messages may have in characters. */
const MAX_ISSUES = 100;
const MAX_CHARACTERS = 65_536;

/** Those that are listed, and one that is not: what is found only while it is read is not looked for any further. */
function firstOf(found: Iterable<unknown>): readonly unknown[] {
  const first: unknown[] = [];
  for (const one of found) if (first.push(one) > MAX_ISSUES) break;
  return first;
}

/**
 * Issues as a problem names them, each with a JSON pointer into its part, and how many are left out: a body of a megabyte may
 * have half a million, or a hundred that each repeat a name of half a megabyte.
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

/** The one error (422) for what schemas reject of these parts of a request. */
export const unprocessable = (
  rejected: readonly (readonly [part: RequestPart, found: readonly unknown[]])[],
): UnprocessableContentError => new UnprocessableContentError(...listed(rejected));
