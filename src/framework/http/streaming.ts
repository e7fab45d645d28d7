/**
 * Streaming: from a stream or an async iterable to a sink, no faster than the client reads.
 *
 *   recorded ──▶ hold: its errors wait for its reader ──▶ pump, or dismiss when it will not be read
 *   source ──▶ chunk ──▶ sink.write ──▶ full? wait for drained() ──▶ next chunk
 *   the client leaves ──▶ the source is cancelled at once, also while it is idle
 *
 * Spec: spec/context.md
 */
import type { ChunkListener, StreamBody } from "./context.ts";
import type { Sink } from "./exchange.ts";
import { type AsyncScope, runIn } from "../internal/async-scope.ts";
import { ignore } from "../internal/thenable.ts";
import { unharmed } from "../internal/watchers.ts";
import { rejection } from "./outgoing.ts";
import { formatEvent, type SseEvent, type SseStream } from "./sse.ts";

/** Anything that is read in pieces. */
type Source = ReadableStream<Uint8Array> | AsyncIterable<unknown>;

/** What only a stream of Node's has of this. */
interface NodeStream {
  readonly destroy?: unknown;
  readonly errored?: unknown;
  readonly on?: unknown;
}

/**
 * Writes every chunk, waiting whenever the client is slow; stops when it leaves. Rejects when the source fails.
 *
 * @param scope where the source runs. The sink does not: what follows on its connection must not run there.
 */
export async function pump(body: StreamBody, sink: Sink, signal: AbortSignal, scope?: AsyncScope): Promise<void> {
  await drain(sourceIn<Uint8Array | string>(scope, body), signal, async (chunk) => {
    if (!sink.write(chunk)) await sink.drained();
  });
  if (!signal.aborted) sink.end();
}

/** What `ctx.sse(events)` records: events that are sent once the chain has settled. */
export class RecordedEvents implements AsyncIterable<string> {
  readonly events: AsyncIterable<SseEvent | string>;
  #isClosed = false;
  #leave: (() => void) | undefined;

  constructor(events: AsyncIterable<SseEvent | string>) {
    this.events = events;
  }

  /** The events as text: what a response hook that wraps the stream reads. It ends at once, also while it is idle. */
  [Symbol.asyncIterator](): AsyncIterator<string, undefined> {
    const source = sourceOf<SseEvent | string>(this.events);
    const end = (): IteratorReturnResult<undefined> => {
      quietly(source);
      return over;
    };
    const textOf = (step: IteratorResult<SseEvent | string>): IteratorResult<string, undefined> =>
      step.done === true ? over : { done: false, value: formatEvent(step.value) };
    return {
      next: () => {
        if (this.#isClosed) return Promise.resolve(end());
        return new Promise((resolve, reject) => {
          this.#leave = (): void => resolve(end());
          Promise.resolve(source.next()).then(textOf).then(resolve, reject);
        });
      },
      return: () => Promise.resolve(end()),
    };
  }

  /** Lets whoever reads it come to its end: the app stops. */
  close(): void {
    this.#isClosed = true;
    this.#leave?.();
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The stream itself: the app's own events, where they are recorded. */
const original = (body: Source): Source => (body instanceof RecordedEvents ? body.events : body);

/** Sends every event, then ends the stream; stops when `over` says that no more is taken. */
export async function pumpEvents(
  events: AsyncIterable<SseEvent | string>,
  stream: SseStream,
  over: AbortSignal,
  scope?: AsyncScope,
): Promise<void> {
  await drain(sourceIn(scope, events), over, async (event) => {
    if (!stream.send(event)) await stream.drained();
  });
  stream.close();
}

/** Cancels a source that will not be read, if there is one. A stream of Node's may fail all the same, such as a file that is not there. */
export function dismiss(body: Source | undefined): void {
  if (body === undefined) return;
  try {
    hold(body);
    quietly(sourceOf<unknown>(original(body)));
  } catch {
    // A source that fails while it is dismissed has no reader.
  }
}

/**
 * Keeps a stream that waits for its turn from ending the process: Node's streams throw an error without a listener
 * as an uncaught exception. Whoever reads it later gets the error.
 */
export function hold(body: Source): void {
  const stream = original(body) as NodeStream;
  if (stream.destroy && typeof stream.on === "function") stream.on("error", ignore);
}

/** What a stream failed with before anybody read it; undefined while it has not. */
export function failureOf(body: Source): unknown {
  const { destroy, errored } = original(body) as NodeStream;
  return destroy ? (errored ?? undefined) : undefined;
}

/**
 * `sink`, telling `count` of every chunk and its bytes.
 *
 * @param length the Content-Length that was promised: a byte more, or an end before it, throws a RangeError
 */
export function counted(sink: Sink, count: (bytes: number, chunk: string | Uint8Array) => void, length?: number): Sink {
  let sent = 0;
  return {
    write(chunk) {
      const bytes = bytesIn(chunk);
      sent += bytes;
      if (length !== undefined && sent > length) throw wrongLength(length, `at least ${sent}`);
      count(bytes, chunk);
      return sink.write(chunk);
    },
    get bufferedBytes() {
      return sink.bufferedBytes;
    },
    drained: () => sink.drained(),
    end() {
      if (length !== undefined && sent < length) throw wrongLength(length, String(sent));
      sink.end();
    },
  };
}

/** @throws TypeError when that is neither text nor bytes: an engine may notice too late, or not. */
function bytesIn(chunk: string | Uint8Array): number {
  const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
  if (bytes instanceof Uint8Array) return bytes.length;
  throw rejection("a stream", chunk, "bytes or text");
}

/** Tells a listener of a chunk. */
export function observe(listener: ChunkListener, chunk: string | Uint8Array): void {
  unharmed(() => listener(chunk)); // What only watches must not end the response, nor the process.
}

const wrongLength = (promised: number, had: string): RangeError =>
  new RangeError(
    `Content-Length promised ${promised} bytes and the stream had ${had}: leave the header to the framework`,
  );

const encoder = new TextEncoder();

/**
 * Takes every item of `source` until the client leaves.
 *
 * Each wait has a promise of its own. A race against one promise of the client's leaving would hang every item read on
 * it, and so keep them all until the end.
 */
async function drain<T>(
  source: AsyncIterator<T>,
  signal: AbortSignal,
  take: (item: T) => Promise<void>,
): Promise<void> {
  let leave: (() => void) | undefined;
  const onAbort = (): void => leave?.();
  const next = (): Promise<IteratorResult<T, unknown> | undefined> =>
    new Promise((resolve, reject) => {
      leave = (): void => resolve(undefined);
      Promise.resolve(source.next()).then(resolve, reject);
    });
  let isDone = false;
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!signal.aborted) {
      const step = await next();
      isDone = step?.done === true;
      if (step === undefined || step.done === true) return;
      if (!signal.aborted) await take(step.value);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (!isDone) quietly(source);
  }
}

/** Ends a source without waiting for it; what it says to that is its own affair. */
export function quietly(source: AsyncIterator<unknown>): void {
  try {
    source.return?.()?.then(undefined, ignore);
  } catch {
    // A source that fails while it is dismissed has no reader.
  }
}

/** The items of a stream, which runs in that async context. */
function sourceIn<T>(
  scope: AsyncScope | undefined,
  body: ReadableStream<T> | AsyncIterable<T>,
): AsyncIterator<T, unknown> {
  if (scope === undefined) return sourceOf(body);
  const source = runIn(scope, () => sourceOf(body));
  return {
    next: () => runIn(scope, () => source.next()),
    return: () => runIn(scope, () => source.return?.() ?? Promise.resolve(over)),
  };
}

/**
 * The items of a stream, and a `return` that ends it at once. Node's streams are destroyed: their iterator's own `return`
 * waits for the next chunk, and does nothing before the first.
 */
export function sourceOf<T>(
  body: ReadableStream<T> | (AsyncIterable<T> & { readonly destroy?: unknown }),
): AsyncIterator<T, unknown> {
  if ("getReader" in body) return readerOf(body);
  const items = body[Symbol.asyncIterator]();
  const { destroy } = body;
  if (typeof destroy !== "function") return items;
  return {
    next: () => items.next(),
    return() {
      destroy.call(body);
      return Promise.resolve(over);
    },
  };
}

function readerOf<T>(body: ReadableStream<T>): AsyncIterator<T, unknown> {
  const reader = body.getReader();
  return { next: () => reader.read(), return: () => reader.cancel().then(() => over) };
}
