/**
 * Streaming: from a stream or an async iterable to a sink, no faster than the client reads.
 *
 *   source ──▶ chunk ──▶ sink.write ──▶ full? wait for drained() ──▶ next chunk
 *   the client leaves ──▶ the source is told at once, also while it is idle
 *
 * Spec: spec/context.md (CTX)
 */
import type { StreamBody } from "./context.ts";
import type { Sink } from "./engine/exchange.ts";
import { isThenable } from "./thenable.ts";
import type { SseEvent, SseStream } from "./sse.ts";

/** An object or a list without a class of its own, and nothing to be sent in pieces: JSON, as most answers are. */
export const isPlain = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value)) &&
  !(Symbol.asyncIterator in value);

/** Is `value` something to be sent in pieces? */
export const isStream = (value: unknown): value is StreamBody =>
  (typeof ReadableStream === "function" && value instanceof ReadableStream) ||
  (typeof value === "object" && value !== null && Symbol.asyncIterator in value && !isThenable(value));

/** Writes every chunk, waiting whenever the client is slow; stops when it leaves. Rejects when the source fails. */
export async function pump(body: StreamBody, sink: Sink, signal: AbortSignal): Promise<void> {
  await drain(sourceOf(body), signal, async (chunk) => {
    if (!sink.write(chunk)) await sink.drained();
  });
  if (!signal.aborted) sink.end();
}

/** Sends every event, then ends the stream; stops when `over` says that nobody takes any more. */
export async function pumpEvents(
  events: AsyncIterable<SseEvent | string>,
  stream: SseStream,
  over: AbortSignal,
): Promise<void> {
  await drain(events[Symbol.asyncIterator](), over, async (event) => {
    if (!stream.send(event)) await stream.drained();
  });
  stream.close();
}

/** Tells a source that nobody will read it. */
export function dismiss(body: StreamBody): void {
  quietly(sourceOf(body));
}

/** `sink`, telling `count` of every byte. */
export function counted(sink: Sink, count: (bytes: number) => void): Sink {
  return {
    write(chunk) {
      count(typeof chunk === "string" ? encoder.encode(chunk).length : chunk.length);
      return sink.write(chunk);
    },
    get bufferedBytes() {
      return sink.bufferedBytes;
    },
    drained: () => sink.drained(),
    end: () => sink.end(),
  };
}

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
function quietly(source: AsyncIterator<unknown>): void {
  try {
    source.return?.()?.then(undefined, () => undefined);
  } catch {
    // A source that fails while it is dismissed has nobody left to tell.
  }
}

function sourceOf(body: StreamBody): AsyncIterator<Uint8Array | string> {
  if (!("getReader" in body)) return body[Symbol.asyncIterator]();
  const reader = body.getReader();
  return {
    async next() {
      const read = await reader.read();
      return read.done ? { done: true, value: undefined } : { done: false, value: read.value };
    },
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
