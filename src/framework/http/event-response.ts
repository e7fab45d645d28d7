/**
 * Event streams as responses: they end with their client, and with the app.
 *
 *   the client leaves ──▶ signal ──▶ closed ──▶ the request is over
 *   the app stops ──▶ each of `streams` ──▶ closed, and the request's signal aborts
 *
 * Spec: spec/context.md (CTX), spec/middleware.md (MW)
 */
import type { Sink } from "./exchange.ts";
import { SseStream } from "./sse.ts";
import type { RecordedEvents } from "./streaming.ts";

/** What ends each open stream, for when the app stops. */
type Streams = Set<() => void>;

/** What an event stream needs to know of its request. */
interface EventResponse {
  readonly signal: AbortSignal;
  readonly lastEventId: string | undefined;
  readonly streams: Streams;
  readonly onClosed: () => void;
  readonly onStop: () => void;
}

/** An event stream whose head is out. `over` aborts when it takes no more. */
export function openEventStream(
  sink: Sink,
  { signal, lastEventId, streams, onClosed, onStop }: EventResponse,
): { readonly stream: SseStream; readonly over: AbortSignal } {
  const over = new AbortController();
  const stream: SseStream = new SseStream(sink, signal, lastEventId, () => {
    streams.delete(stop);
    over.abort();
    onClosed();
  });
  const stop = (): void => {
    stream.close();
    onStop();
  };
  streams.add(stop);
  signal.addEventListener("abort", () => stream.close(), { once: true });
  return { stream, over: over.signal };
}

/** Events that a response hook has wrapped: they end when the app stops, and what wraps them comes to its own end. */
export function endWithApp(
  events: RecordedEvents,
  streams: Streams,
  ctx: { onComplete(listener: () => unknown): unknown },
  abort: () => void,
): void {
  const stop = (): void => {
    events.close();
    ctx.onComplete(abort);
  };
  streams.add(stop);
  ctx.onComplete(() => void streams.delete(stop));
}
