/**
 * Input: reads the declared parts of a request, and checks them against the schemas.
 *
 *   body ──(400, 413, 415)──▶ params · query · headers · cookies · body ──▶ schemas ──▶ Input
 *                                                                             └─▶ the issues of every part: one 422
 *
 * Synchronous when there is no body and every schema is. All decisions about a contract are made at the start, so a valid
 * request costs its schemas and one plain object.
 *
 * Spec: spec/contracts.md
 */
import type { RequestPart } from "../internal/errors.ts";
import { usageError } from "../internal/usage-errors.ts";
import { eventIdOf } from "../internal/event-id.ts";
import { inTime } from "../internal/in-time.ts";
import { handled } from "../internal/thenable.ts";
import { isJsonSchema, noInput, type Contract, type Input } from "./contract.ts";
import { type BodySource, type FormBody, formChecker, type MultipartBody } from "./form-body.ts";
import { isForm, isMultipart, type JsonSchemaOf, mayBeMissing } from "./json-schema.ts";
import {
  type BodyType,
  type Checked,
  type Checker,
  checkerOf,
  isRejected,
  isStandard,
  type Schema,
  unprocessable,
} from "./schema.ts";
import { takenBy } from "./taken.ts";
import { heldInForms, type Lists, ValueForms, type Values } from "./values.ts";

/** The request, as reading needs it. */
export interface InputSource extends BodySource {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  headerValues(name: string): readonly string[];
  requestHeaders(): Iterable<readonly [string, string]>;
  readonly cookies: Readonly<Record<string, string>>;
  body(): Promise<unknown>;
  bodyAsBytes(): Promise<Uint8Array>;
  /** The fields of a form. @throws 400, 413, 415 as `body` does. */
  bodyAsForm(): Promise<Readonly<Record<string, readonly string[]>>>;
}

/** Makes a validator of a JSON Schema: TypeBox's `Compile`, or a few lines around Ajv. */
export type CompileSchema = (schema: never) => BodyType;

/** The app, as reading needs it. */
export interface InputSettings {
  readonly compileSchema: CompileSchema | undefined;
  readonly jsonSchemaOf: JsonSchemaOf | undefined;
  /** How long an asynchronous schema may take, in milliseconds. */
  readonly requestMs: number;
}

/**
 * A step of a route's chain around its handler. It reads the declared parts, checks them against the schemas, and continues.
 * Returns a promise when there is a body, or a schema is asynchronous.
 *
 * @throws the HttpErrors of reading a body (400, 413, 415), UnprocessableContentError (422) with the issues of every part, up
 * to the maximum of one response.
 */
export type InputStep = <S extends InputTarget>(handler: (source: S) => unknown) => (source: S) => unknown;

/** The target of the input. */
export interface InputTarget extends InputSource {
  input: Input;
}

/** Reads the body of a request: a JSON value, or the fields of a form. */
type ReadBody = (source: InputSource) => Promise<unknown>;

/** Checks all of a request against the schemas. Returns a promise only when one of them is asynchronous. */
type HoldAll = (source: InputSource, body: unknown) => Input | Promise<Input>;

/** Reads a part of a request, and checks it against its schemas. */
type Hold = (source: InputSource, body: unknown) => Checked | Promise<Checked>;

/** One part, and its checker. */
interface Part {
  readonly name: RequestPart;
  readonly hold: Hold;
}

/**
 * The step that reads a request by these contracts, the outermost first. Undefined when they declare no input.
 *
 * @throws TypeError naming the route when a JSON Schema cannot be compiled.
 */
export function inputStep(
  where: string,
  contracts: readonly Contract[],
  settings: InputSettings,
  hasEvents = false,
): InputStep | undefined {
  const step = partsStep(where, contracts, settings);
  return hasEvents ? withLastEventId(step) : step;
}

/** The step that also gives the handler the id of the last event that its client has. */
const withLastEventId =
  (step: InputStep | undefined): InputStep =>
  (handler) => {
    const enter = (source: InputTarget): unknown => {
      source.input = { ...source.input, lastEventId: eventIdOf(source.header("last-event-id")) };
      return handler(source as never);
    };
    return step === undefined ? enter : step(enter);
  };

function partsStep(where: string, contracts: readonly Contract[], settings: InputSettings): InputStep | undefined {
  const parts: Part[] = [];
  for (const name of ["params", "query", "headers", "cookies"] as const) {
    const schemas = contracts.flatMap((one) => one[name] ?? []);
    const holds = schemas.map((schema) => {
      const check = checkerFor(`${where}: its ${name}`, schema, settings);
      const beside = schemas.filter((one) => one !== schema);
      return holders[name](check, new ValueForms(schema, beside, settings.jsonSchemaOf), schema, settings);
    });
    if (holds.length > 0) parts.push({ name, hold: merged(holds) });
  }
  const body = contracts.at(-1)?.body; // no group shares one
  if (body === undefined) return parts.length === 0 ? undefined : stepOf(undefined, inputOf(parts));
  const what = `${where}: its body`;
  if (isForm(body)) return formReader(what, body, parts, settings);
  const check = checkerFor(what, body, settings);
  const last: Part = { name: "body", hold: (_source, value) => check(value) };
  const read: ReadBody = mayBeMissing(body) ? orMissing((source) => source.body()) : (source) => source.body();
  return stepOf(read, parts.length === 0 ? inputOfBody(check) : inputOf([...parts, last]));
}

/** Reads the body first if there is one, then checks everything, then runs the handler. */
function stepOf(readBody: ReadBody | undefined, hold: HoldAll): InputStep {
  return function around<S extends InputTarget>(handler: (source: S) => unknown) {
    const held = (source: S, body: unknown): unknown => {
      const enter = (input: Input): unknown => {
        source.input = input;
        return handler(source);
      };
      const input = hold(source, body);
      return input instanceof Promise ? input.then(enter) : enter(input);
    };
    if (readBody === undefined) return (source: S) => held(source, undefined);
    return (source: S) => readBody(source).then((body) => held(source, body));
  };
}

function formReader(
  what: string,
  body: FormBody | MultipartBody,
  parts: readonly Part[],
  settings: InputSettings,
): InputStep {
  const check = checkerFor(what, body.form, settings);
  const forms = new ValueForms(body.form, [], settings.jsonSchemaOf);
  const fields = (all: Lists): Checked | Promise<Checked> =>
    heldInForms(check, forms, forms.ofLists(all), (name) => all[name] ?? []);
  if (isMultipart(body)) {
    const whole = formChecker(fields);
    const last: Part = { name: "body", hold: (_source, form) => whole(form) };
    return stepOf((source) => body.multipart.read(source), inputOf([...parts, last]));
  }
  const hold: Hold = (_source, all) => (all === undefined ? check(all) : fields(all as Lists));
  const read: ReadBody = (source) => source.bodyAsForm();
  return stepOf(mayBeMissing(body.form) ? orMissing(read) : read, inputOf([...parts, { name: "body", hold }]));
}

/** An empty body is undefined, for any type. */
const orMissing =
  (read: (source: InputSource) => Promise<unknown>) =>
  async (source: InputSource): Promise<unknown> =>
    (await source.bodyAsBytes()).length === 0 ? undefined : read(source);

/** A schema that can check values. @throws TypeError when it needs a compiler that is missing. */
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

type Holder = (check: Checker, forms: ValueForms, schema: Schema, settings: InputSettings) => Hold;

const holders: Readonly<Record<"params" | "query" | "headers" | "cookies", Holder>> = {
  params: (check, forms) => (source) => check(forms.ofTexts(source.params)),
  query: (check, forms) => (source) =>
    heldInForms(check, forms, forms.ofLists(source.query), (name) => source.query[name] ?? []),
  headers(check, forms, schema, { jsonSchemaOf }) {
    const names = [...takenBy(schema, jsonSchemaOf).names.keys()];
    return function holdHeaders(source) {
      const values = names.length === 0 ? allHeaders(source) : headersOf(source, names, forms);
      return heldInForms(check, forms, values, (name) => source.headerValues(name));
    };
  },
  cookies: (check, forms) => (source) => check(forms.ofTexts(source.cookies)),
};

function headersOf(source: InputSource, names: readonly string[], forms: ValueForms): Values {
  const values: Record<string, unknown> = Object.create(null);
  for (const name of names) {
    const isList = forms.takesList(name);
    const value = isList ? source.headerValues(name) : source.header(name);
    if (value !== undefined && !(isList && value.length === 0)) values[name] = forms.converted(name, value);
  }
  return values;
}

/** Every header by lower-case name, as `ctx.header` gives it. */
function allHeaders(source: InputSource): Values {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name] of source.requestHeaders()) values[name.toLowerCase()] = source.header(name);
  return values;
}

/** `checkerOf` with the time limit of a request's arrival for asynchronous schemas. @throws TypeError as `validatorOf`. */
function checkerFor(what: string, schema: Schema, { compileSchema, requestMs }: InputSettings): Checker {
  const check = checkerOf(validatorOf(what, schema, compileSchema));
  // TypeBox says that a value may be missing, but its validators reject undefined, because their values are those of JSON.
  const isMissing = !isStandard(schema) && mayBeMissing(schema);
  return function checkInTime(value) {
    if (isMissing && value === undefined) return { value };
    const checked = check(value);
    if (!(checked instanceof Promise)) return checked;
    // Another part may throw first, and then no code awaits this one.
    return handled(inTime(checked, requestMs, `${what}: the schema did not settle within ${requestMs} ms`));
  };
}

/** One of several: each of them sees the part, and their results are merged. */
function merged(holds: readonly Hold[]): Hold {
  const [first] = holds;
  if (first !== undefined && holds.length === 1) return first;
  return function holdAll(source, body) {
    const all = holds.map((hold) => hold(source, body));
    if (!all.some((one) => one instanceof Promise)) return together(all as Checked[]);
    return Promise.all(all.map((one) => Promise.resolve(one))).then(together);
  };
}

function together(all: readonly Checked[]): Checked {
  const issues = all.flatMap((one) => (isRejected(one) ? one.issues : []));
  if (issues.length > 0) return { issues };
  const values = all.map((one) => (isRejected(one) ? undefined : one.value));
  return {
    value: values.reduce((outer, inner) => (isObject(outer) && isObject(inner) ? { ...outer, ...inner } : inner)),
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The most frequent contract: a JSON body and no other part. */
function inputOfBody(check: Checker): HoldAll {
  const bodyOf = (checked: Checked): Input => {
    if (isRejected(checked)) throw unprocessable([["body", checked.issues]]);
    return {
      params: undefined,
      query: undefined,
      headers: undefined,
      cookies: undefined,
      body: checked.value,
      lastEventId: undefined,
    };
  };
  return function checkBody(_source, body) {
    const checked = check(body);
    return checked instanceof Promise ? checked.then(bodyOf) : bodyOf(checked);
  };
}

/** Every part against its schemas. */
function inputOf(parts: readonly Part[]): HoldAll {
  return function checkParts(source, body) {
    const findings = new Findings();
    let waiting: Promise<void>[] | undefined;
    for (const { name, hold } of parts) {
      const checked = hold(source, body);
      if (checked instanceof Promise) (waiting ??= []).push(handled(checked.then((late) => findings.add(name, late))));
      else findings.add(name, checked);
    }
    return waiting === undefined ? findings.input() : Promise.all(waiting).then(() => findings.input());
  };
}

/** The results of the schemas for one request so far. */
class Findings {
  readonly #input: Record<RequestPart, unknown> & Pick<Input, "lastEventId"> = { ...noInput };
  #rejected: (readonly [RequestPart, readonly unknown[]])[] | undefined;

  add(name: RequestPart, checked: Checked): void {
    if ("issues" in checked) (this.#rejected ??= []).push([name, checked.issues]);
    else this.#input[name] = checked.value;
  }

  /** @throws UnprocessableContentError (422) with the issues, in the order of the parts. */
  input(): Input {
    if (this.#rejected === undefined) return this.#input;
    throw unprocessable(this.#rejected.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
  }
}

const order: readonly RequestPart[] = ["params", "query", "headers", "cookies", "body"];
