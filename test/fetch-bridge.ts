/**
 * The response side of a bridge from node:http to `app.fetch`, for suites without a platform with fetch.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";

/** Writes the response of `app.fetch` to its client. @throws (rejects) if it breaks off */
export async function writeResponse(response: Response, req: IncomingMessage, res: ServerResponse): Promise<void> {
  // Writing to a socket that is destroyed but not yet closed can fail an assertion inside Node.
  if (req.socket.destroyed) {
    await response.body?.cancel();
    return;
  }
  res.writeHead(response.status, [...response.headers].flat());
  if (response.body === null) return void res.end();
  res.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as NodeReadableStream<Uint8Array>), res);
}

/**
 * The body of a request as a web stream that can be cancelled half-way. `Readable.toWeb` then destroys the connection too, and
 * in Node 20 it throws an uncaught error when another chunk comes.
 */
export function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces = req.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        void pieces.return?.().then(
          () => req.resume(),
          () => undefined,
        );
      },
    },
    { highWaterMark: 0 },
  );
}
