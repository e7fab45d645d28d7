/**
 * The body of a web response in pieces: a ReadableStream fed by a Sink.
 *
 * Spec: spec/engines.md
 */
import type { Sink } from "../../http/exchange.ts";

const encoder = new TextEncoder();
const highWaterMark = 65_536;

/** Listeners to the end of the body. */
interface Ends {
  /** It accepts no more: ended, broken off or cancelled. */
  onClosed(): void;
  /** Its reader has cancelled. */
  onCancelled(): void;
}

/** A body and its sink. */
interface BodySink {
  readonly body: ReadableStream<Uint8Array>;
  readonly sink: Sink;
  /** Gives the reader an error instead of the rest. */
  readonly breakOff: () => void;
}

/** @param bodyless nothing may follow the head (HEAD) */
export function bodySink(bodyless: boolean, { onClosed, onCancelled }: Ends): BodySink {
  const waiting: (() => void)[] = [];
  let isOpen = true;
  let target!: ReadableStreamDefaultController<Uint8Array>; // Set by `start`, which is called immediately.
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const close = (): void => {
    isOpen = false;
    onClosed();
    wake();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (target = controller),
      pull: () => wake(),
      cancel: () => {
        close();
        onCancelled();
      },
    },
    { highWaterMark, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const breakOff = (): void => {
    if (isOpen) target.error(new Error("the response was cut short"));
    close();
  };
  const room = (): number => target.desiredSize ?? 1;
  const sink: Sink = {
    write(chunk) {
      if (isOpen) target.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
      return room() > 0;
    },
    get bufferedBytes() {
      return isOpen ? Math.max(0, highWaterMark - (target.desiredSize ?? highWaterMark)) : 0;
    },
    drained: () => (isOpen && room() <= 0 ? new Promise((resolve) => void waiting.push(resolve)) : Promise.resolve()),
    end() {
      if (isOpen && !bodyless) target.close();
      close();
    },
  };
  return { body, sink, breakOff };
}
