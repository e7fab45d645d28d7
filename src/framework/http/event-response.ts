/**
 * Event streams as responses: they end with their client, and with the app.
 *
 *   the client leaves ──▶ signal ──▶ closed ──▶ the request is over
 *   the app stops, or does so already ──▶ each of `streams` ──▶ closed, and the request's signal aborts
 *
 * Spec: spec/context.md, spec/middleware.md
 */
import type { Sink } from "./exchange.ts";
import { SseStream } from "./sse.ts";
import type { RecordedEvents } from "./streaming.ts";

/** The app, as far as its end goes. */
interface Ending {
  /** What ends each open stream, for when the app stops. */
  readonly streams: Set<() => void>;
  isStopping(): boolean;
}

/** What an event stream needs to know of its request. */
interface EventResponse {
  readonly signal: AbortSignal;
  readonly lastEventId: string | undefined;
  readonly app: Ending;
  /** Nothing is sent behind the head then. */
  readonly isHead: boolean;
  readonly onClosed: () => void;
  readonly onStop: () => void;
}

/** An event stream whose head is out. `over` aborts when it takes no more. */
export function openEventStream(
  sink: Sink,
  { signal, lastEventId, app, isHead, onClosed, onStop }: EventResponse,
): { readonly stream: SseStream; readonly over: AbortSignal } {
  const over = new AbortController();
  const stream: SseStream = new SseStream(sink, signal, lastEventId, () => {
    app.streams.delete(stop);
    over.abort();
    onClosed();
  });
  const stop = (): void => {
    stream.close();
    onStop();
  };
  app.streams.add(stop);
  signal.addEventListener("abort", () => stream.close(), { once: true });
  if (signal.aborted) stream.close();
  else if (app.isStopping()) stop();
  if (isHead) {
    stream.close();
    queueMicrotask(onStop); // Behind this call: whoever listens then has nobody to send to.
  }
  return { stream, over: over.signal };
}

/** Events that a response hook has wrapped: they end when the app stops, and what wraps them comes to its own end. */
export function endWithApp(
  events: RecordedEvents,
  app: Ending,
  ctx: { onComplete(listener: () => unknown): unknown },
  abort: () => void,
): void {
  const stop = (): void => {
    events.close();
    ctx.onComplete(abort);
  };
  app.streams.add(stop);
  ctx.onComplete(() => void app.streams.delete(stop));
  if (app.isStopping()) stop();
}
