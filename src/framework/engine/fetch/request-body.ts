/**
 * The body of a web request, with its limit enforced.
 *
 *   Content-Length within the limit ──▶ arrayBuffer(), in fetch.ts
 *   none, or read as a stream ────────▶ counted here piece by piece: 413 past the limit
 *
 * Spec: spec/errors.md, spec/engines.md
 */
import { joinedBytes } from "../../internal/bytes.ts";
import { ClientGoneError, ContentTooLargeError } from "../../internal/errors.ts";

type Body = ReadableStream<Uint8Array> | null;

/** The whole body. @throws (rejects) 413 past the limit, ClientGoneError when it breaks off. */
export async function collected(body: Body, limit: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  const reader = body.getReader();
  const size = await collect(reader, chunks, limit);
  const [first, second] = chunks;
  return first !== undefined && second === undefined ? first : joinedBytes(chunks, size);
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  chunks: Uint8Array[],
  limit: number,
): Promise<number> {
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(gone);
    if (done) return size;
    size += value.length;
    if (size > limit) throw tooLarge(reader, limit);
    chunks.push(value);
  }
}

/** The body in pieces. Errors with 413 past the limit, with ClientGoneError when it breaks off. */
export function counted(body: Body, limit: number): ReadableStream<Uint8Array> {
  if (body === null) return new ReadableStream({ start: (controller) => controller.close() });
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch(gone);
      if (done) return controller.close();
      size += value.length;
      if (size > limit) throw tooLarge(reader, limit);
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function gone(): never {
  throw new ClientGoneError();
}

/** The rest of the body is not read. */
function tooLarge(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): ContentTooLargeError {
  reader.cancel().catch(() => undefined);
  return new ContentTooLargeError(limit);
}
