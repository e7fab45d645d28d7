/**
 * Streaming: from a stream or an async iterable to a sink, no faster than the client reads.
 *
 * Spec: spec/context.md (CTX)
 */
import type { StreamBody } from "./context.ts";
import type { Sink } from "./engine/exchange.ts";
import type { SseEvent, SseStream } from "./sse.ts";

/** Writes every chunk, waiting whenever the client is slow; stops when it leaves. Rejects when the source fails. */
export async function pump(body: StreamBody, sink: Sink, signal: AbortSignal): Promise<void> {
  for await (const chunk of chunksOf(body)) {
    if (signal.aborted) return;
    if (!sink.write(chunk)) await sink.drained();
  }
  if (!signal.aborted) sink.end();
}

/** Sends every event, then ends the stream; stops when the client leaves. */
export async function pumpEvents(events: AsyncIterable<SseEvent | string>, stream: SseStream): Promise<void> {
  for await (const event of events) {
    if (!stream.isOpen) return;
    if (!stream.send(event)) await stream.drained();
  }
  stream.close();
}

async function* chunksOf(body: StreamBody): AsyncGenerator<Uint8Array | string> {
  if (Symbol.asyncIterator in body) {
    yield* body;
    return;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = (body as ReadableStream<Uint8Array>).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}
