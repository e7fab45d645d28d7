/** Unit tests of hosted-body.ts: the bytes that a host has left of a body, and bodies without any (ENGINE). */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { hostedBody, isReadByHost } from "./hosted-body.ts";

const json = { "content-type": "application/json", "content-length": "9" };

/** A request that its host has read, by default. */
const requestOf = (fields: object, headers: Readonly<Record<string, string>> = json): IncomingMessage =>
  ({ readableDidRead: true, readableEnded: false, headers, ...fields }) as unknown as IncomingMessage;

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);

describe("hostedBody", () => {
  it("is undefined when the body is unread, since it is still in the stream", () => {
    const unread = { readableDidRead: false, body: "parsed by nobody" };
    assert.equal(hostedBody(requestOf(unread)), undefined);
    assert.equal(isReadByHost(requestOf(unread)), false);
    const states = [{}, { readableDidRead: false, readableEnded: true }, { ...unread, rawBody: "raw" }];
    assert.deepEqual(
      [...states, { ...unread, rawBody: 7 }].map((state) => isReadByHost(requestOf(state))),
      [true, true, true, false],
    );
  });

  it("is the kept bytes or text, of rawBody first", () => {
    const bytes = Buffer.from("bytes");
    assert.equal(hostedBody(requestOf({ rawBody: bytes, body: "parsed" })), bytes);
    assert.equal(textOf(hostedBody(requestOf({ rawBody: "räw", body: "parsed" }))), "räw");
    assert.equal(textOf(hostedBody(requestOf({ body: "parsed" }))), "parsed");
    assert.equal(hostedBody(requestOf({ rawBody: { is: "no text" }, body: bytes })), bytes);
  });

  it("is empty when the request had no body, for any parser result", () => {
    for (const headers of [{}, { "content-length": "0" }]) {
      assert.equal(hostedBody(requestOf({ body: { made: "up" } }, headers))?.length, 0);
      assert.equal(textOf(hostedBody(requestOf({ rawBody: "raw" }, headers))), "raw");
    }
    const chunked = { "content-type": "application/json", "transfer-encoding": "chunked" };
    assert.equal(textOf(hostedBody(requestOf({ body: [1] }, chunked))), "[1]");
  });

  for (const type of [
    "application/json",
    "application/problem+json",
    "Application/JSON ; charset=utf-8",
    "a/b+json;v=1",
  ])
    it(`is the JSON of the parsed ${type}`, () => {
      const headers = { ...json, "content-type": type };
      assert.equal(textOf(hostedBody(requestOf({ body: { a: "ä" } }, headers))), '{"a":"ä"}');
      assert.equal(textOf(hostedBody(requestOf({ body: null }, headers))), "null");
    });

  const unclear: Readonly<Record<string, readonly [contentType: string | undefined, body: unknown]>> = {
    "a parsed form": ["application/x-www-form-urlencoded", { a: "1" }],
    "a type that only begins like JSON": ["application/jsonp", { a: 1 }],
    "a type that only speaks of JSON": ["text/plain; as=/json", { a: 1 }],
    "a type without a slash": ["json", { a: 1 }],
    "an object of no type": [undefined, { a: 1 }],
    "nothing at all": ["application/json", undefined],
  };
  for (const [what, [type, body]] of Object.entries(unclear))
    it(`rejects ${what}, with a way out`, () => {
      const headers = { "content-length": "9", ...(type === undefined ? {} : { "content-type": type }) };
      assert.throws(() => hostedBody(requestOf({ body }, headers)), {
        message:
          "the host has read the body before app.listener() got the request, and what it kept cannot be turned back " +
          "into bytes: mount the listener before the host's body parser, or let the parser keep the bytes in req.rawBody",
      });
    });
});
