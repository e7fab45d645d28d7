/**
 * readEvents returns the events that a browser's EventSource would dispatch.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readEvents } from "./event-stream.ts";

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
