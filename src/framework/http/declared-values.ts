/**
 * A handler's value as its contract declares it.
 *
 *   value ──▶ the declaration of its status ──▶ kind, Content-Type, body
 *   rows ──▶ lines of JSON      events ──▶ Server-Sent Events
 *     └─ rejected by its schema: thrown at the `yield` of the generator that made it
 *
 * Spec: spec/contracts.md
 */
import type { Context, RecordedResponse, StreamBody } from "./context.ts";
import type { DeclaredResponse } from "./declared-responses.ts";
import {
  BYTES_TYPE,
  checkedText,
  isPlain,
  isStream,
  JSON_TYPE,
  jsonText,
  type Outgoing,
  TEXT_TYPE,
  unread,
  type Watched,
} from "./outgoing.ts";
import { fieldOf, isJson, mediaTypeOf } from "./headers.ts";
import type { SseEvent } from "./sse.ts";
import { isIterable, mapped } from "./streaming.ts";
import { bytesOf, isBlob, isBuffer, isResponse } from "./web-values.ts";

/**
 * `value` as a response with that declaration. Undefined when the declaration does not apply to it: a web Response, an error, a
 * value of another kind.
 *
 * @throws Error when its schema rejects the value. TypeError when the value has no JSON form.
 */
export function declaredOutgoing(value: unknown, ctx: Watched, declared: DeclaredResponse): Outgoing | undefined {
  const { kind, type } = declared;
  if (kind === "json" || kind === "either") {
    if (isPlain(value)) return { kind: "text", type: JSON_TYPE, body: declaredJson(value, ctx, declared) };
    if (typeof value === "string") return kind === "json" ? undefined : textOf(value, ctx, declared, TEXT_TYPE);
    return isJsonValue(value) ? { kind: "text", type: JSON_TYPE, body: declaredJson(value, ctx, declared) } : undefined;
  }
  if (isResponse(value)) return undefined;
  if (kind === "text") return typeof value === "string" ? textOf(value, ctx, declared, type) : undefined;
  if (!isOfBytes(kind)) return undefined;
  return rowsOf(value, ctx, declared) ?? bytesOrStream(value, type);
}

/** The JSON of a value as its declaration shapes it. @throws as {@link declaredOutgoing} */
export function declaredJson(value: unknown, ctx: Watched, declared: DeclaredResponse | undefined): string {
  if (declared?.serialize !== undefined) return declared.serialize(ctx, value);
  return jsonText(declared?.shape === undefined ? value : declared.shape(ctx, value), ctx);
}

/** The Content-Type of a recorded body: the declared one, unless the call that recorded it names another than the defaults. */
export const declaredType = ({ kind, type }: DeclaredResponse, contentType: string): string =>
  (kind === "text" && contentType === TEXT_TYPE) || (isOfBytes(kind) && contentType === BYTES_TYPE)
    ? type
    : contentType;

/** The text of a response, shaped if it is JSON. @throws Error when its schema rejects it. */
export function reshaped(
  text: string,
  contentType: string | undefined,
  ctx: Watched,
  declared: DeclaredResponse,
): string {
  if (!isJson(mediaTypeOf(contentType ?? "") ?? "")) return text;
  return declaredJson(JSON.parse(text), ctx, declared);
}

/** A web Response that was read whole, with its JSON shaped. @throws Error when its schema rejects it. */
export function reshapedWhole(whole: RecordedResponse, ctx: Watched, declared: DeclaredResponse): RecordedResponse {
  const { headers, body } = whole;
  if (!(body instanceof Uint8Array)) return whole;
  const text = new TextDecoder().decode(body);
  const shaped = reshaped(text, fieldOf(headers, "Content-Type"), ctx, declared);
  return shaped === text ? whole : { ...whole, body: shaped };
}

/** Declared events as they are sent. Undeclared ones are returned unchanged. */
export function eventsOf(
  declared: DeclaredResponse | undefined,
  events: AsyncIterable<SseEvent | string>,
  ctx: Context,
): AsyncIterable<SseEvent | string> {
  const event = declared?.event;
  return event === undefined ? events : mapped(events, (one) => event(ctx, one));
}

const isOfBytes = (kind: DeclaredResponse["kind"]): boolean => kind === "bytes" || kind === "stream";

/** Is JSON the only form of a value that is not a plain object? */
const isJsonValue = (value: unknown): boolean =>
  !(value instanceof Error) && !isResponse(value) && !isStream(value) && !isBuffer(value) && !isBlob(value);

function textOf(text: string, ctx: Watched, { shape }: DeclaredResponse, type: string): Outgoing {
  return { kind: "text", type, body: checkedText("a response", shape === undefined ? text : shape(ctx, text)) };
}

function rowsOf(value: unknown, ctx: Watched, { row, type }: DeclaredResponse): Outgoing | undefined {
  if (row === undefined || !isIterable(value)) return undefined;
  const lines: StreamBody = mapped(value, (one) => row(ctx, one));
  return { kind: "stream", type, body: lines };
}

function bytesOrStream(value: unknown, type: string): Outgoing | undefined {
  if (value instanceof Uint8Array) return { kind: "bytes", type, body: value };
  if (isBuffer(value)) return { kind: "bytes", type, body: bytesOf(value) };
  if (isStream(value)) return { kind: "stream", type, body: unread(value) };
  return isBlob(value) ? { kind: "stream", type, body: value.stream() } : undefined;
}
