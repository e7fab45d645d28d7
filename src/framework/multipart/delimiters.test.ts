/** Delimiters: the split of a body into pieces does not change the count. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Delimiters } from "./delimiters.ts";

/** The number of parts in a body of these pieces. */
function partsIn(pieces: readonly Uint8Array[]): number {
  const delimiters = new Delimiters("b-b");
  for (const piece of pieces) delimiters.take(piece);
  return delimiters.parts;
}

/** The same with a regular expression, for a body in one piece. */
const partsOf = (body: string): number => {
  const [open = ""] = `\r\n${body}`.split("\r\n--b-b--", 1);
  return open.split("\r\n--b-b").length - 1;
};

const bodies = fc
  .array(fc.constantFrom("--b-b", "\r\n--b-b\r\n", "\r\n--b-b--", "\r\n--b", "-b", "\r\n", "-", "a", "a".repeat(40)), {
    maxLength: 12,
  })
  .map((texts) => texts.join(""));

describe("Delimiters", () => {
  it("counts those of a body equally for any split", () => {
    fc.assert(
      fc.property(bodies, fc.array(fc.nat(30), { maxLength: 8 }), (body, lengths) => {
        const bytes = Buffer.from(`${body}\r\n`);
        let from = 0;
        const pieces = lengths.map((length) => bytes.subarray(from, (from += length)));
        assert.equal(partsIn([...pieces, bytes.subarray(from)]), partsOf(body));
      }),
    );
  });

  it("keeps no piece that it got, because its reader may write to it", () => {
    const first = Buffer.from(`a${"a".repeat(40)}\r\n--b`);
    const delimiters = new Delimiters("b-b");
    delimiters.take(first);
    first.fill(0);
    delimiters.take(Buffer.from("-b\r\n"));
    assert.equal(delimiters.parts, 1);
  });
});
