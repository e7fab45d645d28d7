/**
 * Response bodies that are not one JSON value, declared for a status of a contract's `responses`.
 *
 *   200: text("text/csv") · bytes("image/png") · stream("application/x-ndjson", Row) · events({ tick: Tick })
 *   303: redirect() · 204: empty(), which is the same as null
 *
 * The declaration sets the Content-Type, the type that a handler may return, the check of each row or event, and the document.
 *
 * Spec: spec/contracts.md
 */
import { usageError } from "../internal/usage-errors.ts";
import type { BodyOf, Schema } from "./schema.ts";

/** The kinds of bodies. */
export type ResponseBodyKind = "text" | "bytes" | "stream" | "events" | "redirect" | "empty";

/** The declared body of a response. `Value` is the type of the value that a handler returns for it. */
export interface ResponseBody<Value = unknown, Kind extends ResponseBodyKind = ResponseBodyKind> {
  readonly "~body": Kind;
  /** Its Content-Type. Empty for a body without one. */
  readonly type: string;
  /** The schema of each row of a stream. */
  readonly row?: Schema | undefined;
  /** The schemas of an event stream's data, by event name. */
  readonly events?: Readonly<Record<string, Schema>> | undefined;
  /** Never set. It carries the type. */
  readonly "~value"?: Value;
}

/** A stream of bytes or text. */
type Chunks = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/** The values that a schema accepts, which are those that a handler returns. */
export type AcceptedBy<S> = S extends {
  readonly "~standard": { readonly types?: { readonly input: infer I } | undefined };
}
  ? I
  : BodyOf<S>;

/** A value with the JSON of a `T`: itself, read-only at any depth, or with a `toJSON` that returns it (a Date for a text). */
export type Sendable<T> = unknown extends T
  ? unknown
  :
      | { toJSON(key: string): T }
      | (T extends readonly (infer Item)[]
          ? readonly Sendable<Item>[]
          : T extends object
            ? { readonly [K in keyof T]: Sendable<T[K]> }
            : T);

/** One of the declared events of a stream. `id` is the client's `Last-Event-ID` when it reconnects, `retry` milliseconds. */
export type DeclaredEvent<E> = {
  readonly [Name in keyof E & string]: {
    readonly event: Name;
    readonly data: Sendable<AcceptedBy<E[Name]>>;
    readonly id?: string | undefined;
    readonly retry?: number | undefined;
  };
}[keyof E & string];

/**
 * A text. Its Content-Type is `text/plain; charset=utf-8` by default.
 *
 * @throws TypeError (`CONTRACT_INVALID`) when `type` is not a media type.
 */
export const text = (type = "text/plain"): ResponseBody<string> => ({ "~body": "text", type: withCharset(type) });

/**
 * Bytes: a `Uint8Array`, a `Blob`, or a stream of them. Their Content-Type is `application/octet-stream` by default.
 *
 * @throws TypeError (`CONTRACT_INVALID`) when `type` is not a media type.
 */
export const bytes = (type = "application/octet-stream"): ResponseBody<Uint8Array | ArrayBuffer | Blob | Chunks> => ({
  "~body": "bytes",
  type: checkedType(type),
});

/** The media types whose rows are JSON, with the text before and after each. */
export const rowTypes: ReadonlyMap<string, readonly [before: string, after: string]> = new Map([
  ["application/x-ndjson", ["", "\n"]],
  ["application/jsonl", ["", "\n"]],
  ["application/json-seq", ["\u001E", "\n"]],
]);

/**
 * A stream: of bytes and texts, or of rows that a schema describes. A handler returns an iterable of rows, and each is sent as
 * one line of JSON.
 *
 * @param type `application/x-ndjson`, `application/jsonl` or `application/json-seq` (RFC 7464) for rows
 * @throws TypeError (`CONTRACT_INVALID`) when `type` is not a media type, or not one of rows.
 */
export function stream(type: string): ResponseBody<Chunks>;
export function stream<S extends Schema>(
  type: string,
  row: S,
): ResponseBody<AsyncIterable<Sendable<AcceptedBy<S>>> | Iterable<Sendable<AcceptedBy<S>>>>;
export function stream(type: string, row?: Schema): ResponseBody {
  if (row !== undefined && !rowTypes.has(type))
    throw invalid(`stream(${JSON.stringify(type)}, row)`, `rows are sent as ${[...rowTypes.keys()].join(", ")}`);
  return { "~body": "stream", type: checkedType(type), row };
}

/**
 * Server-Sent Events, by the schema of each event's data. A handler returns an iterable of `{ event, data, id?, retry? }`, or
 * passes it to `ctx.sse`. The data are sent as JSON.
 *
 * @throws TypeError (`CONTRACT_INVALID`) without an event.
 */
export function events<const E extends Readonly<Record<string, Schema>>>(
  schemas: E,
): ResponseBody<AsyncIterable<DeclaredEvent<E>>, "events"> {
  if (Object.keys(schemas).length === 0)
    throw invalid("events({})", "it needs at least one event: events({ tick: Tick })");
  return { "~body": "events", type: "text/event-stream", events: schemas };
}

/** A redirect. Its value is the URL: `ctx.reply(303, "/orders/7")`, or `ctx.redirect("/orders/7", 303)`. */
export const redirect = (): ResponseBody<string> => ({ "~body": "redirect", type: "" });

/** A response without content, as `null` declares it too. */
export const empty = (): ResponseBody<never> => ({ "~body": "empty", type: "" });

/** Is it one of these declarations? */
export const isResponseBody = (declared: unknown): declared is ResponseBody =>
  typeof declared === "object" && declared !== null && "~body" in declared;

const invalid = (call: string, reason: string): TypeError => usageError("CONTRACT_INVALID", `${call}: ${reason}`);

/** @throws TypeError when it is not a media type, with or without parameters. */
function checkedType(type: unknown): string {
  if (
    typeof type === "string" &&
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *; *[\w-]+=(?:[\w.+-]+|"[^"\\\r\n]*"))*$/.test(type)
  )
    return type;
  throw invalid(`the media type ${JSON.stringify(type)}`, 'a type such as "text/csv" is allowed');
}

const withCharset = (type: string): string =>
  /^text\/[^;]+$/.test(checkedType(type)) ? `${type}; charset=utf-8` : type;
