/**
 * The way back of a bridge from node:http to `app.fetch`, for suites that have no platform that speaks fetch at hand.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";

/** Writes the response of `app.fetch` to its client. @throws (rejects) when it breaks off on the way. */
export async function writeResponse(response: Response, req: IncomingMessage, res: ServerResponse): Promise<void> {
  // What is written to a socket that is destroyed but not yet closed can break an assertion of Node's own.
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
 * The body of a request as a web stream that can be given up half-way. `Readable.toWeb` takes the connection with it then, and
 * Node 20's throws where nobody can catch it, when another piece comes.
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
