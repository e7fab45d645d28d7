/**
 * collected: a stream that is sent as it comes, and kept whole if it is short enough and comes to its end.
 *
 * Spec: spec/cache.md
 */
import type { StreamBody } from "../http/context.ts";
import { joinedBytes } from "../internal/bytes.ts";

/** The same stream. @param end gets its bytes once, or undefined when it is too long, fails, or is not read to its end */
export async function* collected(
  body: StreamBody,
  maxBytes: number,
  end: (bytes: Uint8Array | undefined) => void,
): AsyncGenerator<Uint8Array | string> {
  let pieces: Uint8Array[] | undefined = [];
  let size = 0;
  let isWhole = false;
  try {
    for await (const piece of body as AsyncIterable<Uint8Array | string>) {
      const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
      size += bytes.length;
      if (size > maxBytes) pieces = undefined;
      pieces?.push(bytes.slice());
      yield piece;
    }
    isWhole = true;
  } finally {
    end(isWhole && pieces !== undefined ? joinedBytes(pieces) : undefined);
  }
}
