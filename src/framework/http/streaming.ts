/**
 * Streaming: from a stream or an async iterable to a sink, no faster than the client reads.
 *
 *   recorded ──▶ hold: its errors wait for its reader ──▶ pump, or dismiss when it will not be read
 *   source ──▶ chunk ──▶ sink.write ──▶ full? wait for drained() ──▶ next chunk
 *   the client leaves ──▶ the source is cancelled immediately, also while it is idle
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

/** The part that only a Node stream has. */
interface NodeStream {
  readonly destroy?: unknown;
  readonly errored?: unknown;
  readonly on?: unknown;
}

/**
 * Writes every chunk and waits whenever the client is slow. Stops when the client leaves. Rejects when the source fails.
 *
 * @param scope where the source runs. The sink does not run in it, nor does later work on its connection.
 */
export async function pump(body: StreamBody, sink: Sink, signal: AbortSignal, scope?: AsyncScope): Promise<void> {
  await drain(sourceIn<Uint8Array | string>(scope, body), signal, async (chunk) => {
    if (!sink.write(chunk)) await sink.drained();
  });
  if (!signal.aborted) sink.end();
}

/** The stream that `ctx.sse(events)` records. Its events are sent after the chain has settled. */
export class RecordedEvents implements AsyncIterable<string> {
  readonly events: AsyncIterable<SseEvent | string>;
  #isClosed = false;
  #leave: (() => void) | undefined;

  constructor(events: AsyncIterable<SseEvent | string>) {
    this.events = events;
  }

  /** The events as text, for a response hook that wraps the stream. Ends immediately on close, also while idle. */
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

  /** Ends it for its reader when the app stops. */
  close(): void {
    this.#isClosed = true;
    this.#leave?.();
  }
}

const over: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The original stream. For recorded events it is the app's own. */
const original = (body: Source): Source => (body instanceof RecordedEvents ? body.events : body);

/** Sends every event, then ends the stream. Stops when `over` aborts. */
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

/** Cancels a source that will not be read, if there is one. A Node stream may still fail, such as a file that does not exist. */
export function dismiss(body: Source | undefined): void {
  if (body === undefined) return;
  try {
    hold(body);
    quietly(sourceOf<unknown>(original(body)));
  } catch {
    // No consumer reads a source that fails while it is dismissed.
  }
}

/**
 * Keeps a waiting stream from ending the process, because Node streams throw an error without a listener as an uncaught
 * exception. A later reader gets the error.
 */
export function hold(body: Source): void {
  const stream = original(body) as NodeStream;
  if (stream.destroy && typeof stream.on === "function") stream.on("error", ignore);
}

/** The error of an unread stream, or undefined without one. */
export function failureOf(body: Source): unknown {
  const { destroy, errored } = original(body) as NodeStream;
  return destroy ? (errored ?? undefined) : undefined;
}

/**
 * `sink`, with `count` called for every chunk and its bytes.
 *
 * @param length the promised Content-Length. A byte more, or an earlier end, throws a RangeError
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

/** @throws TypeError when it is not text or bytes, since an engine may notice too late, or not. */
function bytesIn(chunk: string | Uint8Array): number {
  const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
  if (bytes instanceof Uint8Array) return bytes.length;
  throw rejection("a stream", chunk, "bytes or text");
}

/** Calls a listener for a chunk. */
export function observe(listener: ChunkListener, chunk: string | Uint8Array): void {
  unharmed(() => listener(chunk)); // An observer must not end the response or the process.
}

const wrongLength = (promised: number, had: string): RangeError =>
  new RangeError(
    `Content-Length promised ${promised} bytes and the stream had ${had}: leave the header to the framework`,
  );

const encoder = new TextEncoder();

/**
 * Reads every item of `source` until the client leaves.
 *
 * Each wait has its own promise. A race against one shared promise would attach every item to it and keep them all until the
 * end.
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

/** Ends a source without waiting for it and ignores its errors. */
export function quietly(source: AsyncIterator<unknown>): void {
  try {
    source.return?.()?.then(undefined, ignore);
  } catch {
    // No consumer reads a source that fails while it is dismissed.
  }
}

/** The items of a stream that runs in that async context. */
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
 * The items of a stream, and a `return` that ends it immediately. Node streams are destroyed, because their iterator's own
 * `return` waits for the next chunk, and does nothing before the first.
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

/** Can its items be read in order? A text is not meant. */
export const isIterable = (value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> =>
  typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);

/**
 * A stream with each item mapped. An error of `map` is thrown into the generator that made the item, at its `yield`. The stream
 * fails with it, unless the generator catches it and continues.
 */
export function mapped<T, U>(source: AsyncIterable<T> | Iterable<T>, map: (item: T) => U): AsyncIterable<U> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<U, unknown> {
      const items = Symbol.asyncIterator in source ? sourceOf<T>(source) : syncItems(source);
      const take = async (step: IteratorResult<T, unknown>): Promise<IteratorResult<U, unknown>> => {
        if (step.done === true) return step;
        try {
          return { done: false, value: map(step.value) };
        } catch (error) {
          if (items.throw === undefined) throw error;
          return take(await items.throw(error));
        }
      };
      return {
        next: () => Promise.resolve(items.next()).then(take),
        return: () => items.return?.() ?? Promise.resolve(over),
      } as AsyncIterator<U, unknown>;
    },
  };
}

/** The items of a list or another synchronous iterable. */
function syncItems<T>(source: Iterable<T>): AsyncIterator<T, unknown> {
  const items = source[Symbol.iterator]();
  return {
    next: async () => items.next(),
    return: async () => items.return?.() ?? over,
    throw: async (error) => {
      if (items.throw === undefined) throw error;
      return items.throw(error);
    },
  };
}

function readerOf<T>(body: ReadableStream<T>): AsyncIterator<T, unknown> {
  const reader = body.getReader();
  return { next: () => reader.read(), return: () => reader.cancel().then(() => over) };
}
