/**
 * Span receiver: OTLP/HTTP from services on this machine, if `Devtools.create({ otlp: true })` asks for it.
 *
 *   OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:8080/framework/dev
 *   POST …/v1/traces ──▶ guard ──▶ this machine only ──▶ body within maxBodyBytes, gzip undone ──▶ JSON or protobuf ──▶ spans
 *
 * The response has the encoding of the request, as OTLP asks: an ExportTraceServiceResponse, or for a failure a Status. The only
 * effect of an export is that other services are drawn.
 *
 * Spec: spec/devtools.md
 */
import { HttpError, type Context } from "framework";
import { decodeSpans } from "../run/otlp/protobuf.ts";
import { readSpans, type ReadSpans } from "../run/otlp/spans.ts";
import { messageOf } from "../run/format.ts";
import { isRecord, jsonOf } from "../run/values.ts";
import { PAGE_PATH } from "../run/wire.ts";
import type { ForeignSpans } from "../record/services/foreign-spans.ts";
import { isLoopback } from "../record/services/this-machine.ts";
import { type EndpointAt, onlyPost, problem, reject } from "./endpoints.ts";

/** The endpoint of the receiver. */
export const spanReceiver = (spans: ForeignSpans): EndpointAt => [
  `${PAGE_PATH}/v1/traces`,
  (ctx) => receiveSpans(ctx, spans),
];

const JSON_TYPE = "application/json";
const readers: Readonly<Record<string, (body: Uint8Array) => ReadSpans>> = {
  [JSON_TYPE]: (body) => {
    const given = jsonOf(new TextDecoder().decode(body));
    // An export without spans is one, as in protobuf.
    return readSpans(isRecord(given) ? { resourceSpans: [], ...given } : given);
  },
  "application/x-protobuf": (body) => readSpans(decodeSpans(body)),
};

/** Responds to an export, from a client that the guard has accepted. */
async function receiveSpans(ctx: Context, spans: ForeignSpans): Promise<void> {
  // No option opens it to other machines.
  if (!isLoopback(ctx.peerAddress)) return reject(ctx, 404, "");
  if (!onlyPost(ctx)) return;
  const type = (ctx.header("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined)
    return problem(ctx, 415, "Unsupported Media Type", `spans are ${Object.keys(readers).join(" or ")}`);
  let body: Uint8Array;
  try {
    body = await ctx.bodyAsBytes();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return fail(ctx, type, error.status, error.message);
  }
  let received: ReadSpans;
  try {
    received = read(body);
  } catch (error) {
    return fail(ctx, type, 400, messageOf(error));
  }
  const rejected = received.rejected + spans.add(received.spans, body.length);
  ctx.setHeader("Content-Type", type).send(replyOf(type, rejected));
}

/** A failure, as a Status message. */
function fail(ctx: Context, type: string, status: number, message: string): void {
  // message = 2
  const body = type === JSON_TYPE ? Buffer.from(JSON.stringify({ message })) : fieldOf(18, Buffer.from(message));
  ctx.status(status).setHeader("Content-Type", type).send(body);
}

const reason = "without valid ids and times, or over the limits of devtools";

/** An ExportTraceServiceResponse. */
function replyOf(type: string, rejected: number): Uint8Array {
  if (type === JSON_TYPE)
    return Buffer.from(
      JSON.stringify(rejected === 0 ? {} : { partialSuccess: { rejectedSpans: `${rejected}`, errorMessage: reason } }),
    );
  if (rejected === 0) return new Uint8Array();
  // partial_success = 1 { rejected_spans = 1, error_message = 2 }
  return fieldOf(10, [8, ...varint(rejected), ...fieldOf(18, Buffer.from(reason))]);
}

/** A field of protobuf with a length. */
const fieldOf = (tag: number, bytes: ArrayLike<number>): Uint8Array =>
  Uint8Array.from([tag, ...varint(bytes.length), ...Array.from(bytes)]);

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
