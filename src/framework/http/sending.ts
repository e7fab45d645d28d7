/**
 * Sending: a response with its head sent and its body following in pieces, no faster than the client reads.
 *
 *   stream ──▶ pump ──▶ counted ──▶ sink          events ──▶ SseStream ──▶ counted ──▶ sink
 *   the client leaves ──▶ signal ──▶ the source is cancelled, the events are closed ──▶ the request is over
 *   the app stops, or is stopping ──▶ each of `streams` ──▶ events are closed, and the request's signal aborts
 *
 * Spec: spec/context.md, spec/middleware.md
 */
import type { AsyncScope } from "../internal/async-scope.ts";
import type { ChunkListener, StreamBody } from "./context.ts";
import type { Exchange, Sink } from "./exchange.ts";
import { eventIdOf } from "../internal/event-id.ts";
import { type PrepareEvent, type SseEvent, SseStream } from "./sse.ts";
import { counted, dismiss, observe, pump, pumpEvents, type RecordedEvents } from "./streaming.ts";

/** The app's end, as sending needs it. */
interface Ending {
  /** Functions that end each open stream when the app stops. */
  readonly streams: Set<() => void>;
  isStopping(): boolean;
}

/** The request, as sending needs it. */
interface SendingRequest {
  readonly method: string;
  readonly exchange: Exchange;
  readonly services: Ending;
  readonly signal: AbortSignal;
  readonly scope: AsyncScope | undefined;
  inScope<R>(work: () => R): R;
  abort(): void;
  complete(aborted: boolean): void;
  streamFailed(error: unknown): void;
}

/** A response in pieces: its head, and facts about its body. */
interface Head {
  readonly status: number;
  readonly headers: string[];
  /** The Content-Length that the app has promised. */
  readonly length?: number | undefined;
  readonly onChunk: ChunkListener | undefined;
}

/** One response that is sent in pieces. */
export class Sending {
  readonly #ctx: SendingRequest;
  readonly #raw: Sink;
  readonly #sink: Sink;
  readonly #length: number | undefined;
  /** Bytes of its body so far. */
  sent = 0;

  /** Sends the head. */
  constructor(ctx: SendingRequest, { status, headers, length, onChunk }: Head) {
    this.#ctx = ctx;
    this.#length = length;
    ctx.exchange.watch?.();
    this.#raw = ctx.exchange.open(status, headers, ctx.method === "HEAD");
    const count = (bytes: number, chunk: string | Uint8Array): void => {
      this.sent += bytes;
      if (onChunk !== undefined) ctx.inScope(() => observe(onChunk, chunk));
    };
    this.#sink = counted(this.#raw, count, length);
  }

  /** Has the network taken all bytes of Content-Length? Then the client has its response, though its stream goes on. */
  get isWhole(): boolean {
    return this.sent === this.#length && Boolean(this.#raw.isOut);
  }

  /** Sends a stream, then ends the request. HEAD gets none of it. */
  stream(body: StreamBody): void {
    const ctx = this.#ctx;
    if (ctx.method === "HEAD") {
      dismiss(body);
      this.#sink.end();
      return ctx.complete(ctx.exchange.gone);
    }
    pump(body, this.#sink, ctx.signal, ctx.scope).then(
      () => ctx.complete(ctx.exchange.gone),
      (error: unknown) => ctx.streamFailed(error),
    );
  }

  /** Opens an event stream, and sends `events` if given. It ends with its client and with the app. */
  events(events?: AsyncIterable<SseEvent | string>, prepare?: PrepareEvent): SseStream {
    const ctx = this.#ctx;
    const { stream, over } = openEventStream(this.#sink, {
      signal: ctx.signal,
      lastEventId: eventIdOf(ctx.exchange.header("last-event-id")),
      app: ctx.services,
      isHead: ctx.method === "HEAD",
      onClosed: () => ctx.complete(ctx.exchange.gone),
      onStop: () => ctx.abort(),
      prepare,
    });
    if (events !== undefined)
      pumpEvents(events, stream, over, ctx.scope).catch((error: unknown) => ctx.streamFailed(error));
    return stream;
  }
}

/** The request, as an event stream needs it. */
interface EventResponse {
  readonly signal: AbortSignal;
  readonly lastEventId: string | undefined;
  readonly app: Ending;
  /** Nothing is sent after the head then. */
  readonly isHead: boolean;
  readonly onClosed: () => void;
  readonly onStop: () => void;
  readonly prepare?: PrepareEvent | undefined;
}

/** An event stream after its head was sent. `over` aborts when it accepts no more events. */
export function openEventStream(
  sink: Sink,
  { signal, lastEventId, app, isHead, onClosed, onStop, prepare }: EventResponse,
): { readonly stream: SseStream; readonly over: AbortSignal } {
  const over = new AbortController();
  const closed = (): void => {
    app.streams.delete(stop);
    over.abort();
    onClosed();
  };
  const stream: SseStream = new SseStream(sink, signal, lastEventId, closed, prepare);
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
    queueMicrotask(onStop); // After this call, so that its listeners see that there is no client.
  }
  return { stream, over: over.signal };
}

/** Events that a response hook has wrapped. They end when the app stops, and the wrapper comes to its own end. */
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
