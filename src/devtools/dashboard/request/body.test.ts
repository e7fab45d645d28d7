/**
 * body: the views of a response body.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodyKind, hexDump, readBody } from "./body.ts";

describe("readBody", () => {
  const body = (type: string, bytes: Uint8Array) =>
    readBody({
      status: 200,
      statusText: "",
      headers: type === "" ? [] : [["content-type", type]],
      bytes,
      durationUs: 1,
    });
  const utf8 = (text: string) => new TextEncoder().encode(text);

  test("starts with the view that fits the type", () => {
    assert.deepEqual(body("application/problem+json", utf8('{"a":1}')), {
      views: ["json", "text", "hex"],
      text: '{"a":1}',
      json: { a: 1 },
    });
    assert.deepEqual(body("text/html; charset=utf-8", utf8("<p>")), { views: ["text", "hex"], text: "<p>" });
    assert.deepEqual(body("application/json", utf8("{")), { views: ["text", "hex"], text: "{" });
    assert.deepEqual(body("application/octet-stream", utf8("ab")), { views: ["hex", "text"], text: "ab" });
    assert.deepEqual(body("text/plain", new Uint8Array([255])), { views: ["hex"], text: "" });
  });

  test("shows an image from its own bytes, an SVG also as text", () => {
    assert.deepEqual(body("image/png", new Uint8Array([137, 80])), {
      views: ["image", "hex"],
      text: "",
      image: "data:image/png;base64,iVA=",
    });
    assert.deepEqual(body("image/svg+xml; charset=utf-8", utf8("<svg/>")), {
      views: ["image", "text", "hex"],
      text: "<svg/>",
      image: "data:image/svg+xml;base64,PHN2Zy8+",
    });
    assert.deepEqual(body("image/x-unknown", new Uint8Array([137])), { views: ["hex"], text: "" });
  });

  test("reads the events of a stream, also of one that was cut inside a character", () => {
    const cut = new Uint8Array([...utf8("data: ä\n\ndata: "), 0xc3]);
    assert.deepEqual(body("text/event-stream", cut), {
      views: ["events", "text"],
      text: "data: ä\n\ndata: ",
      events: [{ event: "message", id: "", data: "ä" }],
    });
  });
});

describe("bodyKind", () => {
  test("is the media type without its parameters", () => {
    const kind = (value: string): string => bodyKind({ headers: [["Content-Type", value]] });
    assert.deepEqual([kind("text/html; charset=utf-8"), bodyKind({ headers: [] })], ["text/html", ""]);
  });
});

describe("hexDump", () => {
  test("shows offset, bytes and ASCII, and the amount that it left out", () => {
    assert.equal(hexDump(new Uint8Array([65, 0, 255])), `00000000  41 00 ff${" ".repeat(39)}  A..`);
    assert.match(hexDump(new Uint8Array(40), 32), /… 8 more bytes$/);
  });
});
