/**
 * A relay rewrites what a probe receives, as a broken subject would have sent it: it stands within the probe, so that
 * it costs no connection, and what it leaves alone comes through byte for byte.
 *
 *   subject ──▶ transport ──▶ relay ──┬─ whole response ──▶ rewrite      ──▶ the case
 *                                     └─ event stream   ──▶ rewriteItem  ──▶ the case
 */
import { setTimeout } from "node:timers/promises";
import type { StreamItem } from "./event-stream.ts";
import type { Exchange, StreamStep } from "./exchange.ts";
import { HttpResponse, type HeaderLines } from "./response.ts";

/** A whole response as it should pass. A pure function; it returns the exchange itself to let it pass. */
export type Rewrite = (exchange: Exchange) => Exchange;

/** An item of a stream as it should pass; `delayMs` holds it back, and everything behind it. */
export type RelayedItem = StreamItem & { readonly delayMs?: number };

/** What becomes of one item of a stream: [] drops it, two items repeat it. */
export type RewriteItem = (step: StreamStep) => readonly RelayedItem[];

/** The ways of rewriting. */
export interface Relay {
  readonly rewrite: Rewrite;
  readonly rewriteItem: RewriteItem;
  /** The text of a stream as it should come, in pieces. */
  readonly rewriteChunk?: (text: string) => readonly string[];
}

/** What came of a response: undefined when the connection was closed before its head. */
export interface Relayed {
  readonly response: HttpResponse | undefined;
  readonly whole: boolean;
}

/** What is larger passes as it is: no mutant speaks of it, and a copy as text would cost more than the case. */
export const rewrittenAtMost: number = 1_048_576;

/** The response as the relay lets it through, once its delay is over. */
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

/** The headers, so that a client finds the new body whole. */
function framedAgain(headers: HeaderLines, length: number): HeaderLines {
  return headers.map(([name, value]) => [name, /^content-length$/i.test(name) ? String(length) : value] as const);
}

/** The items that come of one; resolves with each when it is due. */
export async function* relayedItems(relay: Relay, step: StreamStep): AsyncGenerator<StreamItem> {
  for (const { delayMs = 0, ...item } of relay.rewriteItem(step)) {
    if (delayMs > 0) await setTimeout(delayMs, undefined, { ref: false });
    yield item;
  }
}
