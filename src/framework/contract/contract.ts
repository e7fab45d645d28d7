/**
 * Contracts: the input and output of a route, as a value.
 *
 *   contract ──▶ ctx.input, typed and validated · ctx.reply, typed · response checks · documents and clients
 *
 * This file has the types, and the checks at registration. input.ts reads a request by its contract.
 *
 * Spec: spec/contracts.md
 */
import { usageError } from "../internal/usage-errors.ts";
import { type AcceptedBy, isResponseBody, type ResponseBody, type Sendable } from "./declared-body.ts";
import type { FormBody, MultipartBody } from "./form-body.ts";
import { isForm, type JsonSchemaOf } from "./json-schema.ts";
import { type BodyOf, isBodyType, type JsonSchema, type Schema } from "./schema.ts";
import { isOpen, propertiesOf, takesObjects } from "./taken.ts";

/** The input and output of a route. */
export interface Contract {
  /** Of the path's parameters, by name. Values are strings. */
  readonly params?: Schema | undefined;
  /** Of the query, by name. Values are strings, or lists of them when the name is repeated or the schema says array. */
  readonly query?: Schema | undefined;
  /** Of the headers, by lower-case name. */
  readonly headers?: Schema | undefined;
  /** Of the cookies, by name. */
  readonly cookies?: Schema | undefined;
  /** Of the JSON body, or of a form: `form(schema)`, `multipartForm({ … })` of `framework/multipart`. */
  readonly body?: Schema | FormBody | MultipartBody | undefined;
  /**
   * Of the responses, by status: a schema of JSON, or of a text if it accepts only strings; `text()`, `bytes()`, `stream()`,
   * `events()`, `redirect()`; or `null` for no content.
   */
  readonly responses?: Readonly<Record<number, Schema | ResponseBody | null>> | undefined;
  /** Of each message from the client of a WebSocket (`app.ws`), which is JSON then. */
  readonly incoming?: Schema | undefined;
  /** Of each message to the client of a WebSocket (`app.ws`), which is JSON then. */
  readonly outgoing?: Schema | undefined;
}

/** Documentation of a route for documents and tools. */
export interface RouteDocs {
  /** Its name in documents and clients: unique in the app. */
  readonly operationId?: string | undefined;
  /** One line. */
  readonly summary?: string | undefined;
  /** Markdown. */
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Is it deprecated? With dates, its responses say so in `Deprecation`, `Sunset` and `Link` (RFC 9745, RFC 8594). */
  readonly deprecated?: boolean | Deprecation | undefined;
  /**
   * Security requirements by the name of their scheme, with scopes. Any of them is enough. An empty list means none is needed.
   */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[] | undefined;
  /** Free data of the route, available in `ctx.meta` (for guards) and in the route list. */
  readonly meta?: RouteMeta | undefined;
  /** Is it a tool for agents, if the app has the McpMiddleware of `framework/mcp`? By default what its group says, or false. */
  readonly tool?: boolean | ToolDocs | undefined;
}

/** The documentation of a route as a tool. */
export interface ToolDocs {
  /** Its name: letters, digits, `_`, `-` and `.`. By default the `operationId`, or method and path. */
  readonly name?: string | undefined;
  /** One line for a person. By default the `summary`. */
  readonly title?: string | undefined;
  /** What an agent needs to know to use it. By default the `description`, or the `summary`. */
  readonly description?: string | undefined;
}

/** The deprecation of a route. Dates are a Date, or a text that `new Date()` reads. */
export interface Deprecation {
  /** Since when it is deprecated. */
  readonly since: Date | string;
  /** When it stops working. */
  readonly sunset?: Date | string | undefined;
  /** A page about the deprecation. */
  readonly link?: string | undefined;
}

/** Free data of a route. Extend it: `declare module "framework" { interface RouteMeta { role?: "admin" } }`. */
export interface RouteMeta {
  readonly [name: string]: unknown;
}

/** A form's body. Its fields are strings, or lists of them when one is repeated or the schema says array. */
export const form = <S extends Schema>(schema: S): FormBody<S> => ({ form: schema });

/**
 * A contract as a separate value: `ContextOf<typeof addLine>` types the method of a bean that handles it.
 *
 * @example
 * ```ts
 * const addLine = contract({ body: (value: unknown): value is { sku: string } => typeof value === "object" });
 * app.post("/lines", addLine, (ctx) => ctx.input.body.sku);
 * ```
 */
export const contract = <const C extends object>(declared: C): C => declared;

/** The declared parts of a request, as the schemas return them. Undeclared parts are undefined. */
export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly cookies: unknown;
  readonly body: unknown;
  /** The id of the last event that a reconnecting client has, if the contract declares `events()`. */
  readonly lastEventId: unknown;
}

/** One part of the input, by its schema: `C["body" & keyof C]`, which is `never` when a contract does not declare it. */
export type PartOf<S> = [S] extends [never] ? undefined : BodyOf<S>;

/** The arguments of `ctx.reply`: a status, and the value that is sent as if the handler returned it. */
export type Reply = readonly [status: number, value?: unknown];

/** The replies of a contract. Any, if it declares none. */
export type ReplyOf<C> = "responses" extends keyof C ? RepliesOf<C["responses"]> : Reply;
type RepliesOf<R> = { [S in keyof R]: StatusReply<S, R[S]> }[keyof R];
type StatusReply<Status, S> = [SentBy<S>] extends [never] ? [status: Status] : [status: Status, value: SentBy<S>];

/** The values that a handler sends for a declared response. None without content. */
type SentBy<S> = S extends null
  ? never
  : S extends { readonly "~body": unknown; readonly "~value"?: infer Value }
    ? Value
    : Sendable<AcceptedBy<S>>;

/** The input when nothing is declared. */
export const noInput: Input = Object.freeze({
  params: undefined,
  query: undefined,
  headers: undefined,
  cookies: undefined,
  body: undefined,
  lastEventId: undefined,
});

/** The `meta` of a route that has none. */
export const noMeta: RouteMeta = Object.freeze({});

/** The allowed results of a handler for its 2xx, in addition to a response recorded on the context. */
export type ReturnOf<R> = SentBy<R[SuccessOf<keyof R>]>;
type SuccessOf<Status> = Status extends number ? (`${Status}` extends `2${string}` ? Status : never) : never;

/** A declared route, from which documents and clients are made. */
export interface DeclaredRoute {
  readonly method: string;
  /** Context path + pattern. */
  readonly path: string;
  /** The names of its path parameters, in order. */
  readonly pathParams: readonly string[];
  /** The contracts of its groups, the outermost first, then its own. */
  readonly contracts: readonly (Contract & RouteDocs)[];
  /** Its version, if there are several of its method and path. */
  readonly version?: DeclaredVersion | undefined;
  /** The accepted media types, if named. */
  readonly accept: readonly string[] | undefined;
  /** An example of its JSON body. */
  readonly example: unknown;
  /** Registered by `app.ws`: a GET that leaves HTTP. */
  readonly upgrades?: boolean | undefined;
  /** Converts schemas without their own JSON Schema, if the app has a converter. */
  readonly jsonSchemaOf?: JsonSchemaOf | undefined;
}

/** The version of a route, and how a request says that it wants it. */
export interface DeclaredVersion {
  readonly name: string;
  /** The header that says so, such as `API-Version`, or `Accept`. */
  readonly field: string;
  /** Its value: the name, or a media type. */
  readonly value: string;
  /** Is it that of requests which name none? */
  readonly isDefault: boolean;
}

/** @throws TypeError when a part of it cannot be a schema, or declares what a request or a response cannot have. */
export function checkContract(where: string, method: string, contract: Contract, names: readonly string[]): void {
  for (const part of ["params", "query", "headers", "cookies", "body"] as const) {
    const declared = contract[part];
    if (declared === undefined) continue;
    const schema = isForm(declared) ? declared.form : declared;
    checkSchema(`${where}: its ${part}`, schema);
    if ((part !== "body" || isForm(declared)) && !takesObjects(schema))
      throw invalid(`${where}: its ${part} takes no object: values by their names are what a schema gets there`);
  }
  if (contract.body !== undefined && (method === "GET" || method === "HEAD"))
    throw invalid(`${where}: its body cannot be: ${method} has none; QUERY is the GET with a body`);
  checkNames(where, contract, names);
  for (const [status, schema] of Object.entries(contract.responses ?? {})) checkResponse(where, status, schema);
  for (const part of ["incoming", "outgoing"] as const)
    if (contract[part] !== undefined) checkSchema(`${where}: its ${part} message`, contract[part]);
}

const invalid = (sentence: string): TypeError => usageError("CONTRACT_INVALID", sentence);

/** Statuses whose responses have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5). */
const withoutContent: readonly string[] = ["204", "205", "304"];

function checkResponse(where: string, status: string, schema: unknown): void {
  if (!/^[2-5]\d\d$/.test(status))
    throw invalid(`${where}: its responses name the status ${status}: 200 to 599 is allowed`);
  if (schema === null) return;
  if (isResponseBody(schema)) return checkBody(`${where}: its response ${status}`, status, schema);
  if (withoutContent.includes(status))
    throw invalid(`${where}: its response ${status} has a schema, and no content: write null`);
  checkSchema(`${where}: its response ${status}`, schema);
}

function checkBody(what: string, status: string, { "~body": kind, row, events = {} }: ResponseBody): void {
  if (kind === "redirect" && (!status.startsWith("3") || status === "304"))
    throw invalid(`${what} is a redirect: 300 to 308 without 304 is allowed`);
  if (kind !== "empty" && withoutContent.includes(status))
    throw invalid(`${what} has content, which it cannot: write null`);
  if (row !== undefined) checkSchema(`${what}: its row`, row);
  for (const [name, schema] of Object.entries(events)) checkSchema(`${what}: its event ${name}`, schema);
}

/** @throws TypeError (`CONTRACT_INVALID`) when it is no schema. */
export function checkSchema(what: string, schema: unknown): void {
  if (!isBodyType(schema) && !isJsonSchema(schema)) {
    const given = schema === null ? "null" : typeof schema;
    throw invalid(
      `${what} is ${given}: a Standard Schema, a compiled TypeBox validator, an object with parse, a function or a JSON Schema is allowed`,
    );
  }
  const lacks = lackOf(schema);
  if (lacks !== undefined) throw invalid(`${what} is ${lacks}: nothing can be held against it`);
}

/** The missing feature of an object that looks like a schema. Undefined when it is complete. */
function lackOf(schema: object): string | undefined {
  const isFunction = (from: unknown, name: string): boolean =>
    typeof from === "object" && from !== null && typeof Reflect.get(from, name) === "function";
  if ("~standard" in schema)
    return isFunction(schema["~standard"], "validate") ? undefined : "a Standard Schema without validate";
  if (typeof schema === "function" || !("Check" in schema)) return undefined;
  return isFunction(schema, "Check") && isFunction(schema, "Errors")
    ? undefined
    : "a TypeBox validator without Check or Errors";
}

/** Is it a JSON Schema that must be compiled? */
export const isJsonSchema = (schema: unknown): schema is JsonSchema =>
  typeof schema === "object" && schema !== null && !Array.isArray(schema) && !isBodyType(schema) && hasKeyword(schema);

const keywords = ["type", "properties", "anyOf", "allOf", "oneOf", "enum", "const", "$ref", "~kind"] as const;
const hasKeyword = (schema: object): boolean => keywords.some((keyword) => keyword in schema);

function checkNames(where: string, { params, headers }: Contract, names: readonly string[]): void {
  const known = `it has ${names.map((name) => `{${name}}`).join(", ")}`;
  if (params !== undefined && names.length === 0)
    throw invalid(`${where}: its params name parameters of the path, and it has none`);
  for (const name of propertiesOf(params).keys())
    if (!names.includes(name)) throw invalid(`${where}: its params name {${name}}, which is not in the path: ${known}`);
  const declared = propertiesOf(params);
  const lacking = declared.size === 0 || isOpen(params) ? undefined : names.find((name) => !declared.has(name));
  if (lacking !== undefined) throw invalid(`${where}: its params lack {${lacking}}, which is in the path: ${known}`);
  for (const name of propertiesOf(headers).keys()) {
    const lower = name.toLowerCase();
    if (lower !== name)
      throw invalid(`${where}: its headers name ${JSON.stringify(name)}: write ${JSON.stringify(lower)}`);
  }
}
