/**
 * Input: reads of a request what its contract declares, and holds it against the schemas.
 *
 *   body ──(400, 413, 415)──▶ params · query · headers · cookies · body ──▶ schemas ──▶ Input
 *                                                                             └─▶ every issue of every part: one 422
 *
 * Synchronous where there is no body and every schema is.
 *
 * Spec: spec/contracts.md (CONTRACT)
 */
import { UnprocessableContentError, type ProblemIssue, type RequestPart } from "../internal/errors.ts";
import { usageError } from "../internal/usage-errors.ts";
import { isThenable } from "../internal/thenable.ts";
import { isJsonSchema, noInput, type Contract, type Input } from "./contract.ts";
import { type BodySource, formSchema, listsOf, valuesOf } from "./form-body.ts";
import { isForm, isMultipart, mayBeArray, propertiesOf } from "./json-schema.ts";
import { type BodyType, check, type Checked, isRejected, issuesIn, type Schema } from "./schema.ts";

/** What a contract is read from. */
export interface InputSource extends BodySource {
  readonly pathParams: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  headerValues(name: string): readonly string[];
  requestHeaders(): Iterable<readonly [string, string]>;
  readonly cookies: Readonly<Record<string, string>>;
  body(): Promise<unknown>;
  /** The fields of a form. @throws 400, 413, 415 as `body` does. */
  bodyAsForm(): Promise<Readonly<Record<string, readonly string[]>>>;
}

/** Makes a validator of a JSON Schema: TypeBox's `Compile`, or a few lines around Ajv. */
export type CompileSchema = (schema: never) => BodyType;

/** Reads the input of a request; a promise only where something in it is asynchronous. */
export type ReadInput = (source: InputSource) => Input | Promise<Input>;

/** One part: where it comes from, and what it is held against. */
interface Part {
  readonly name: RequestPart;
  readonly read: (source: InputSource, body: unknown) => unknown;
  readonly schemas: readonly BodyType[];
}

/**
 * How to read a request by these contracts, the outermost first; undefined where they declare nothing of a request.
 *
 * @throws TypeError naming the route where a JSON Schema cannot be compiled.
 */
export function inputReader(
  where: string,
  contracts: readonly Contract[],
  compile: CompileSchema | undefined,
): ReadInput | undefined {
  const parts: Part[] = [];
  for (const name of ["params", "query", "headers", "cookies"] as const) {
    const schemas = contracts.flatMap((one) => one[name] ?? []);
    if (schemas.length === 0) continue;
    const validators = schemas.map((schema) => validatorOf(`${where}: its ${name}`, schema, compile));
    parts.push({ name, read: readers[name](schemas), schemas: validators });
  }
  const body = contracts.findLast((one) => one.body !== undefined)?.body;
  if (body === undefined) return parts.length === 0 ? undefined : (source) => checkAll(parts, source, undefined);
  const schema = isForm(body) ? body.form : body;
  const lists = isForm(body) ? listsOf([schema]) : undefined;
  const multipart = isMultipart(body) ? body.multipart : undefined;
  const validator = validatorOf(`${where}: its body`, schema, compile);
  const last: Part = {
    name: "body",
    read: (_source, value) => value,
    schemas: [multipart === undefined ? validator : formSchema(validator, lists ?? new Set())],
  };
  const all = [...parts, last];
  return function readWithBody(source) {
    if (multipart !== undefined) return multipart.read(source).then((parts) => checkAll(all, source, parts));
    if (lists === undefined) return source.body().then((value) => checkAll(all, source, value));
    return source.bodyAsForm().then((fields) => checkAll(all, source, valuesOf(fields, lists)));
  };
}

/** A schema that values can be held against. @throws TypeError where nothing compiles it. */
export function validatorOf(what: string, schema: Schema, compile: CompileSchema | undefined): BodyType {
  if (!isJsonSchema(schema)) return schema;
  if (compile === undefined)
    throw usageError(
      "CONTRACT_INVALID",
      `${what} is a JSON Schema, and nothing compiles it: Framework.create({ compileSchema: Compile }) with TypeBox's Compile does`,
    );
  try {
    return compile(schema as never);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError("CONTRACT_INVALID", `${what} cannot be compiled: ${reason}`);
  }
}

type Values = Readonly<Record<string, unknown>>;

const readers: Readonly<
  Record<"params" | "query" | "headers" | "cookies", (schemas: readonly Schema[]) => Part["read"]>
> = {
  params: () => (source) => source.pathParams,
  query: (schemas) => {
    const lists = listsOf(schemas);
    return (source) => valuesOf(source.query, lists);
  },
  headers: (schemas) => {
    const known = schemas.map(propertiesOf);
    if (known.some((names) => names.size === 0)) return allHeaders;
    const names = [...new Map(known.flatMap((properties) => [...properties]))];
    const wanted = names.map(([name, schema]) => [name, mayBeArray(schema)] as const);
    return (source) => headersOf(source, wanted);
  },
  cookies: () => (source) => source.cookies,
};

function headersOf(source: InputSource, wanted: readonly (readonly [string, boolean])[]): Values {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, isList] of wanted) {
    const value = isList ? source.headerValues(name) : source.header(name);
    if (value !== undefined && !(isList && value.length === 0)) values[name] = value;
  }
  return values;
}

/** Every header by its name in lower case, as `ctx.header` gives it. */
function allHeaders(source: InputSource): Values {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name] of source.requestHeaders()) values[name.toLowerCase()] = source.header(name);
  return values;
}

/** Holds every part against its schemas. @throws UnprocessableContentError (422) with the issues of all of them. */
function checkAll(parts: readonly Part[], source: InputSource, body: unknown): Input | Promise<Input> {
  const input: Record<RequestPart, unknown> = { ...noInput };
  let issues: ProblemIssue[] | undefined;
  let waiting: Promise<unknown>[] | undefined;
  const settle = (name: RequestPart, checked: Checked): void => {
    if (isRejected(checked)) (issues ??= []).push(...issuesIn(name, checked.issues));
    else
      input[name] =
        isObject(input[name]) && isObject(checked.value) ? { ...input[name], ...checked.value } : checked.value;
  };
  for (const { name, read, schemas } of parts) {
    const value = read(source, body);
    for (const schema of schemas) {
      const checked = check(value, schema);
      if (isThenable(checked)) (waiting ??= []).push(checked.then((late) => settle(name, late)));
      else settle(name, checked);
    }
  }
  const inputOrIssues = (): Input => {
    if (issues !== undefined) throw new UnprocessableContentError(issues);
    return input;
  };
  return waiting === undefined ? inputOrIssues() : Promise.all(waiting).then(inputOrIssues);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
