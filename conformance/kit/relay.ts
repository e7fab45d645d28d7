/**
 * A relay rewrites what a probe receives, as if a broken subject had sent it. It runs inside the probe, so it costs no
 * connection, and unmodified data passes byte for byte.
 *
 *   subject ──▶ transport ──▶ relay ──┬─ whole response ──▶ rewrite      ──▶ the case
 *                                     └─ event stream   ──▶ rewriteItem  ──▶ the case
 */
import { setTimeout } from "node:timers/promises";
import type { StreamItem } from "./event-stream.ts";
import type { Exchange, StreamStep } from "./exchange.ts";
import { HttpResponse, type HeaderLines } from "./response.ts";

/** Rewrites a whole response. A pure function. It returns the same exchange to leave it unchanged. */
export type Rewrite = (exchange: Exchange) => Exchange;

/** An item of a stream; `delayMs` delays it and everything after it. */
export type RelayedItem = StreamItem & { readonly delayMs?: number };

/** Rewrites one item of a stream: [] drops it, two items repeat it. */
export type RewriteItem = (step: StreamStep) => readonly RelayedItem[];

/** The ways of rewriting. */
export interface Relay {
  readonly rewrite: Rewrite;
  readonly rewriteItem: RewriteItem;
  /** Splits the text of a stream into pieces. */
  readonly rewriteChunk?: (text: string) => readonly string[];
}

/** A relayed response, or undefined if the connection was closed before its head. */
export interface Relayed {
  readonly response: HttpResponse | undefined;
  readonly whole: boolean;
}

/** Larger responses pass unchanged: no mutant changes them, and a copy as text would cost more than the case. */
export const rewrittenAtMost: number = 1_048_576;

/** The response as rewritten by the relay, after its delay. */
export async function relayed(relay: Relay, exchange: Exchange, response: HttpResponse): Promise<Relayed> {
  const whole = exchange.cut === undefined;
  if (response.bytes.length > rewrittenAtMost) return { response, whole };
  const rewritten = relay.rewrite(exchange);
  if (rewritten === exchange) return { response, whole };
  const { status, headers, body, cut, delayMs = 0 } = rewritten;
  if (delayMs > 0) await setTimeout(delayMs, undefined, { ref: false });
  if (cut === "close") return { response: undefined, whole: false };
  const bytes = body === exchange.body ? response.bytes : Buffer.from(body);
  const kept = body === exchange.body ? headers : framedAgain(headers, bytes.length);
  const sent = cut === "truncate" && whole ? bytes.subarray(0, bytes.length / 2) : bytes;
  return { response: new HttpResponse(status, kept, sent), whole: cut === undefined };
}

/** The headers with framing for the new body. */
function framedAgain(headers: HeaderLines, length: number): HeaderLines {
  return headers.map(([name, value]) => [name, /^content-length$/i.test(name) ? String(length) : value] as const);
}

/** The items that replace one item. Resolves with each when it is due. */
export async function* relayedItems(relay: Relay, step: StreamStep): AsyncGenerator<StreamItem> {
  for (const { delayMs = 0, ...item } of relay.rewriteItem(step)) {
    if (delayMs > 0) await setTimeout(delayMs, undefined, { ref: false });
    yield item;
  }
}
