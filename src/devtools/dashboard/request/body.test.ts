/**
 * body: the views of a response body.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodyKind, hexDump, isReadable, readBody } from "./body.ts";
import { NO_ITEMS } from "./item-log.ts";
import type { ReceivedResponse } from "./receive.ts";

const whole: ReceivedResponse = { status: 200, statusText: "", headers: [], bytes: new Uint8Array(), durationUs: 1 };

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

  test("starts with the items of a stream, whose text may be cut inside a character", () => {
    const cut = new Uint8Array([...utf8("data: ä\n\ndata: "), 0xc3]);
    const views = (type: string) =>
      readBody({ ...whole, headers: [["content-type", type]], bytes: cut, stream: NO_ITEMS });
    assert.deepEqual(views("text/event-stream; charset=utf-8"), {
      views: ["events", "text"],
      text: "data: ä\n\ndata: ",
    });
    assert.deepEqual(views("application/json-seq").views, ["rows", "text"]);
  });

  test("leaves out a character that is cut at the end of an unfinished text", () => {
    const response = { ...whole, headers: [["content-type", "text/csv"] as const], bytes: new Uint8Array([97, 0xc3]) };
    assert.deepEqual(readBody({ ...response, state: "stopped" }), { views: ["text", "hex"], text: "a" });
    assert.deepEqual(readBody(response), { views: ["hex"], text: "" });
  });
});

describe("isReadable", () => {
  test("is true of streams and texts that arrive, and of everything else at its end", () => {
    const arriving = (type: string, more: Partial<ReceivedResponse> = {}) =>
      isReadable({ ...whole, state: "arriving", headers: [["content-type", type]], ...more });
    assert.deepEqual(
      [
        arriving("text/csv"),
        arriving("text/csv", { bytes: new Uint8Array(2_000_000) }),
        arriving("application/jsonl", { stream: NO_ITEMS }),
        arriving("application/json"),
        arriving("application/json", { state: "stopped" }),
      ],
      [true, false, true, false, true],
    );
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
