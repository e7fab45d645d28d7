/**
 * streamBody: the pieces of a body as a handler reads them.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { streamBody } from "./node-streams.ts";

describe("streamBody", () => {
  it("gives plain bytes with a buffer of their own, and copies only those that share one", async () => {
    const shared = Buffer.from("secret of another body").subarray(10);
    const own = Buffer.from(new ArrayBuffer(3));
    const pieces: Uint8Array[] = [];
    for await (const piece of streamBody(Readable.from([shared, own]), 100)) pieces.push(piece);
    assert.deepEqual(
      pieces.map((piece) => [piece.constructor, Buffer.from(piece.buffer).toString()]),
      [
        [Uint8Array, "another body"],
        [Uint8Array, "\0\0\0"],
      ],
    );
    assert.equal(pieces[1]?.buffer, own.buffer);
  });
});
