/**
 * The events that a browser's EventSource would dispatch, and rows of JSON, however they are cut.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Trace } from "./shapes.ts";
import { itemReader, readEvents, recordedItems, type StreamEvent } from "./event-stream.ts";

describe("readEvents", () => {
  test("reads names, ids that stay, and data of several lines", () => {
    assert.deepEqual(readEvents("id: 1\nevent: tick\ndata: a\ndata:b\n\n: comment\nretry: 10\r\ndata\r\n\r\n"), [
      { event: "tick", id: "1", data: "a\nb" },
      { event: "message", id: "1", data: "" },
    ]);
  });

  test("leaves out incomplete events, and blocks without data", () => {
    assert.deepEqual(readEvents("event: nothing\n\ndata: whole\n\ndata: cut"), [
      { event: "message", id: "", data: "whole" },
    ]);
    assert.deepEqual(readEvents(""), []);
  });

  test("starts after a byte order mark and rejects an id with NUL", () => {
    assert.deepEqual(readEvents("\uFEFFid: 1\0\ndata: x\n\n"), [{ event: "message", id: "", data: "x" }]);
  });
});

/** The items of a text that arrives character by character. */
function inPieces(type: string, text: string): StreamEvent[] {
  const read = itemReader(type);
  return [...text].flatMap((char) => read?.(char) ?? []);
}

const row = (data: string): StreamEvent => ({ event: "", id: "", data });

describe("itemReader", () => {
  test("reads the same events from any pieces, with each kind of line end", () => {
    const text = "id: 1\r\nevent: tick\rdata: a\r\ndata: b\n\r\ndata: c\r\rdata: cut";
    const events = [
      { event: "tick", id: "1", data: "a\nb" },
      { event: "message", id: "1", data: "c" },
    ];
    assert.deepEqual([inPieces("text/event-stream", text), readEvents(text)], [events, events]);
  });

  test("reads a row a line, without empty lines and a last line that is cut", () => {
    for (const type of ["application/x-ndjson", "application/ndjson", "Application/JSONL; charset=utf-8"])
      assert.deepEqual(inPieces(type, '{"a":1}\n\n[2]\r\n{"cut'), [row('{"a":1}'), row("[2]")]);
  });

  test("reads a sequence whose rows have several lines", () => {
    assert.deepEqual(inPieces("application/json-seq", '\u001E{\n"a":1}\n\u001E12\n\u001E{"cut'), [
      row('{\n"a":1}'),
      row("12"),
    ]);
  });

  test("is undefined for any other type", () => {
    assert.deepEqual([itemReader(""), itemReader("application/json")], [undefined, undefined]);
  });
});

describe("recordedItems", () => {
  const recorded = (type: string, body: Trace["response"]["body"]) =>
    recordedItems({ response: { headers: { "content-type": [type] }, body, bytes: 9 } });

  test("reads a recorded text, or the beginning of one", () => {
    assert.deepEqual(recorded("application/jsonl", "1\n2\n"), { items: [row("1"), row("2")], text: "1\n2\n", left: 0 });
    assert.deepEqual(recorded("application/jsonl", { $string: "1\n2", $truncated: 7 }), {
      items: [row("1")],
      text: "1\n2",
      left: 7,
    });
  });

  test("is undefined for another type, and for a body that was not kept", () => {
    assert.deepEqual(
      [recorded("text/plain", "1\n"), recorded("application/jsonl", { $bytes: 7 })],
      [undefined, undefined],
    );
  });
});
