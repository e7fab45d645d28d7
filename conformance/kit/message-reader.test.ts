/** Framing is independent of how the bytes are split. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { responseFraming, MessageReader, requestFraming, type Framing, type Head } from "./message-reader.ts";

type Event = readonly [event: string, text: string];

/** Everything that a reader reports for these bytes in slices of this size, with joined bodies. */
function read(bytes: string, slice: number, framing: (head: Head) => Framing): readonly Event[] {
  const events: (readonly [string, string])[] = [];
  let body = "";
  let raw = "";
  const reader = new MessageReader({
    head(head) {
      events.push(["head", head.start]);
      return framing(head);
    },
    body(data, wire) {
      body += data.toString("latin1");
      raw += wire.toString("latin1");
    },
    end() {
      events.push(["body", body], ["raw", raw]);
      body = raw = "";
    },
  });
  const all = Buffer.from(bytes, "latin1");
  for (let at = 0; at < all.length; at += slice) reader.push(all.subarray(at, at + slice));
  reader.finish();
  return events;
}

describe("MessageReader", () => {
  const chunked = "5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: 1\r\n\r\n";
  const responses = `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\n\r\nuntil the end`;
  const expected: readonly Event[] = [
    ["head", "HTTP/1.1 200 OK"],
    ["body", "abc"],
    ["raw", "abc"],
    ["head", "HTTP/1.1 200 OK"],
    ["body", "hello!"],
    ["raw", chunked],
    ["head", "HTTP/1.1 204 No"],
    ["body", ""],
    ["raw", ""],
    ["head", "HTTP/1.1 200 OK"],
    ["body", "until the end"],
    ["raw", "until the end"],
  ];
  for (const slice of [1, 2, 3, 7, 64, 10_000]) {
    it(`splits responses that arrive ${slice} bytes at a time`, () => {
      assert.deepEqual(
        read(responses, slice, (head) => responseFraming(head, "GET")),
        expected,
      );
    });
  }

  it("splits pipelined requests", () => {
    const requests = `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}GET /b HTTP/1.1\r\n\r\n`;
    assert.deepEqual(read(requests, 5, requestFraming), [
      ["head", "POST / HTTP/1.1"],
      ["body", "hello!"],
      ["raw", chunked],
      ["head", "GET /b HTTP/1.1"],
      ["body", ""],
      ["raw", ""],
    ]);
  });

  for (const length of ["abc", "-5", "1.5", "3, 3", "0x3"])
    it(`reads a response of Content-Length ${length} until the end`, () => {
      const response = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\nwhat there is`;
      const events = read(response, 5, (head) => responseFraming(head, "GET"));
      assert.deepEqual(events.at(1), ["body", "what there is"]);
    });
});
