/**
 * messagesOf: a channel as an async iterable, for `ctx.sse(…)` and loops.
 *
 *   publish ──▶ at most `limit` texts wait ──▶ for await
 *                  └─ more: the oldest is dropped, and counted
 *
 * Spec: spec/websocket.md
 */
import { usageError } from "../internal/usage-errors.ts";
import type { Broadcast } from "./broadcast.ts";

/** Options of an iteration over a channel. */
export interface MessagesOptions {
  /** Ends the iteration and its subscription. Use `ctx.signal` in a handler. */
  readonly signal: AbortSignal;
  /** Maximum texts that wait for a slow reader. Default: 1,000. */
  readonly limit?: number | undefined;
  /** Called at each drop with the number of texts dropped so far. */
  readonly dropped?: ((count: number) => void) | undefined;
}

/**
 * The texts published on a channel from now on.
 *
 * @throws TypeError on an invalid limit. (rejects) The error of `subscribe`, when the iteration begins.
 */
export function messagesOf(broadcast: Broadcast, channel: string, options: MessagesOptions): AsyncIterable<string> {
  const { limit = 1_000 } = options;
  if (!Number.isInteger(limit) || limit < 1)
    throw usageError(
      "BROADCAST_INVALID",
      `messagesOf() has limit: ${String(limit)}; a whole number from 1 on is allowed`,
    );
  return iterate(broadcast, channel, { ...options, limit });
}

async function* iterate(
  broadcast: Broadcast,
  channel: string,
  { signal, limit, dropped }: MessagesOptions & { readonly limit: number },
): AsyncGenerator<string> {
  const waiting: string[] = [];
  let lost = 0;
  let wake = (): void => undefined;
  const end = (): void => wake();
  const unsubscribe = await broadcast.subscribe(channel, (text) => {
    waiting.push(text);
    if (waiting.length > limit) {
      waiting.shift();
      lost += 1;
      dropped?.(lost);
    }
    wake();
  });
  signal.addEventListener("abort", end, { once: true });
  try {
    while (!signal.aborted) {
      const text = waiting.shift();
      if (text !== undefined) yield text;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", end);
    unsubscribe();
  }
}
