/** A stream has the same meaning for every line end and every split of its text. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itemReader, type StreamItem } from "./event-stream.ts";

const text = ": hello\nretry: 10\n\nevent: a\nid: 1\ndata: x\ndata: y\n\ndata: z\n\n";
const items = [
  { kind: "comment", data: "hello" },
  { kind: "retry", data: "10" },
  { kind: "event", event: "a", id: "1", data: "x\ny" },
  { kind: "event", event: undefined, id: undefined, data: "z" },
];

function read(pieces: Iterable<string>): readonly StreamItem[] {
  const found: StreamItem[] = [];
  const feed = itemReader((item) => found.push(item));
  for (const piece of pieces) feed(piece);
  return found;
}

describe("itemReader", () => {
  for (const [name, end] of Object.entries({ LF: "\n", CR: "\r", "CR LF": "\r\n" }))
    it(`reads lines that end with ${name}, whole and one character at a time`, () => {
      const spelt = text.replaceAll("\n", end);
      assert.deepEqual([read([spelt]), read(spelt)], [items, items]);
    });
});
