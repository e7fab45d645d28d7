/**
 * Span receiver: OTLP/HTTP from services on this machine, if `Devtools.create({ otlp: true })` asks for it.
 *
 *   OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:8080/framework/dev
 *   POST …/v1/traces ──▶ guard ──▶ this machine only ──▶ body within maxBodyBytes, gzip undone ──▶ JSON or protobuf ──▶ spans
 *
 * The response has the type of the request, as OTLP asks. Its only effect is that other services are drawn.
 *
 * Spec: spec/devtools.md
 */
import { STATUS_CODES } from "node:http";
import { HttpError, type Context } from "framework";
import { decodeSpans } from "../run/otlp/protobuf.ts";
import { readSpans, type ReadSpans } from "../run/otlp/spans.ts";
import { messageOf } from "../run/format.ts";
import { jsonOf } from "../run/values.ts";
import { PAGE_PATH } from "../run/wire.ts";
import type { ForeignSpans } from "../record/services/foreign-spans.ts";
import { isLoopback } from "../record/services/this-machine.ts";
import { type EndpointAt, onlyPost, problem, reject } from "./endpoints.ts";

/** The endpoint of the receiver. */
export const spanReceiver = (spans: ForeignSpans): EndpointAt => [
  `${PAGE_PATH}/v1/traces`,
  (ctx) => receiveSpans(ctx, spans),
];

const readers: Readonly<Record<string, (body: Uint8Array) => ReadSpans>> = {
  "application/json": (body) => readSpans(jsonOf(new TextDecoder().decode(body))),
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
    return problem(ctx, error.status, STATUS_CODES[error.status] ?? "Bad Request", error.message);
  }
  let received: ReadSpans;
  try {
    received = read(body);
  } catch (error) {
    return problem(ctx, 400, "Bad Request", messageOf(error));
  }
  const rejected = received.rejected + spans.add(received.spans, body.length);
  ctx.setHeader("Content-Type", type).send(replyOf(type, rejected));
}

const reason = "without valid ids and times, or over the limits of devtools";

/** An ExportTraceServiceResponse. */
function replyOf(type: string, rejected: number): Uint8Array {
  if (type === "application/json")
    return Buffer.from(
      JSON.stringify(rejected === 0 ? {} : { partialSuccess: { rejectedSpans: `${rejected}`, errorMessage: reason } }),
    );
  if (rejected === 0) return new Uint8Array();
  // partial_success = 1 { rejected_spans = 1, error_message = 2 }
  const count: number[] = [];
  for (let rest = rejected; ; rest = Math.floor(rest / 128)) {
    count.push(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) break;
  }
  const inner = [8, ...count, 18, reason.length, ...Buffer.from(reason)];
  return Uint8Array.from([10, inner.length, ...inner]);
}
