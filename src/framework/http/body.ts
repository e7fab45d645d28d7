/**
 * Bodies: bytes to text, text to a JSON value, a JSON value to what the handler's type says.
 *
 *   bytes ──UTF-8──▶ text ──JSON──▶ value ──type──▶ T
 *     413            400            400             422
 *
 * A type is the first that fits of: a Standard Schema, a compiled TypeBox validator, an object with `parse`, a
 * function. The framework depends on none of the libraries: it knows their shapes.
 *
 * Spec: spec/context.md (CTX)
 */
import { BadRequestError, HttpError, UnprocessableContentError, type ProblemIssue } from "../internal/errors.ts";

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

/** What `ctx.body(type)` resolves to. */
export type BodyOf<S> = S extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer O }
    ? O
    : unknown
  : S extends { Check(value: unknown): value is infer T }
    ? T
    : S extends { parse(value: unknown): infer T }
      ? Awaited<T>
      : S extends ((value: unknown) => value is infer T)
        ? T
        : S extends (value: unknown) => infer T
          ? Awaited<T>
          : never;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws BadRequestError (400) when the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadRequestError("the body is not valid UTF-8");
  }
}

/**
 * The JSON value of `text`.
 *
 * @throws BadRequestError (400): empty, malformed, deeper than `maxDepth`, or with a key that could reach a prototype.
 */
export function parseJson(text: string, maxDepth: number): unknown {
  if (text.trim() === "") throw new BadRequestError("the body is empty; JSON was expected");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BadRequestError(`the body is not valid JSON: ${syntaxMessage(cause)}`, { cause });
  }
  if (typeof value === "object" && value !== null && mayBeRejected(text, maxDepth)) inspect(value, maxDepth);
  return value;
}

/**
 * Could `inspect` find fault? Not without one of the keys, as it is or escaped, and not with fewer brackets than
 * levels allowed. Looking at the text is a tenth of the work of walking the value.
 */
function mayBeRejected(text: string, maxDepth: number): boolean {
  if (text.includes("__proto__") || text.includes("constructor") || text.includes("\\u")) return true;
  let open = 0;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      open += 1;
      if (open > maxDepth) return true;
    }
  return false;
}

/** V8's message without the piece of the body that it quotes. */
function syntaxMessage(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : "malformed";
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  return at ?? (message.startsWith("Unexpected end") ? "it ends too early" : "it is malformed");
}

function inspect(value: object, depthLeft: number): void {
  if (depthLeft <= 0) throw new BadRequestError("the body is nested too deeply");
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) inspect(item, depthLeft - 1);
    return;
  }
  for (const key of Object.keys(value)) {
    const item: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (
      key === "__proto__" ||
      (key === "constructor" && typeof item === "object" && item !== null && Object.hasOwn(item, "prototype"))
    )
      throw new BadRequestError(`the body holds the key ${JSON.stringify(key)}, which is rejected`);
    if (typeof item === "object" && item !== null) inspect(item, depthLeft - 1);
  }
}

/** `value` as `type` returns it. @throws UnprocessableContentError (422) with the issues when `type` rejects it. */
export async function validate(value: unknown, type: BodyType): Promise<unknown> {
  if ("~standard" in type) return ofStandard(await type["~standard"].validate(value));
  if (typeof type === "function") return ofFunction(value, type);
  if ("Check" in type) {
    if (type.Check(value)) return value;
    throw new UnprocessableContentError([...type.Errors(value)].map(issueOf));
  }
  if ("parse" in type) return await rejecting(() => type.parse(value));
  throw new TypeError(
    "ctx.body(type) takes a Standard Schema, a compiled TypeBox validator, an object with parse, or a function",
  );
}

function ofStandard(result: unknown): unknown {
  const issues = field(result, "issues");
  if (Array.isArray(issues)) throw new UnprocessableContentError(issues.map(issueOf));
  return field(result, "value");
}

async function ofFunction(value: unknown, type: (value: unknown) => unknown): Promise<unknown> {
  const result = await rejecting(() => type(value));
  if (result === false) throw new UnprocessableContentError([{ path: [], message: "rejected" }]);
  return result === true ? value : result;
}

async function rejecting(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HttpError) throw error;
    const issues = field(error, "issues") ?? field(error, "errors");
    throw new UnprocessableContentError(
      Array.isArray(issues)
        ? issues.map(issueOf)
        : [{ path: [], message: error instanceof Error ? error.message : "rejected" }],
    );
  }
}

const field = (from: unknown, name: string): unknown =>
  typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;

/** An issue as any of the libraries reports it: `path` a list (of keys or `{ key }`), or `instancePath` a JSON pointer. */
function issueOf(issue: unknown): ProblemIssue {
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
