/**
 * The small pure modules: format, copy-as, link, body.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import fc from "fast-check";
import { bodyKind, hexDump, readBody } from "./body.ts";
import { toCurl, toFetch, toTest } from "./copy-as.ts";
import { clock, count, delta, duration, size } from "../page/format.ts";
import { formatLink, parseLink } from "../shell/link.ts";

describe("duration", () => {
  test("keeps three digits and picks the unit", () => {
    assert.deepEqual([0, 940, 6_310, 18_400, 431_000, 2_500_000].map(duration), [
      "0 µs",
      "940 µs",
      "6.31 ms",
      "18.4 ms",
      "431 ms",
      "2.50 s",
    ]);
  });
});

describe("delta", () => {
  test("has a sign", () => assert.deepEqual([1_200, -940, 0].map(delta), ["+1.20 ms", "−940 µs", "±0 µs"]));
});

describe("size", () => {
  test("picks the unit", () =>
    assert.deepEqual([0, 812, 1_400, 3_200_000].map(size), ["0 B", "812 B", "1.4 kB", "3.2 MB"]));
});

describe("count", () => {
  test("knows one from many", () =>
    assert.deepEqual(
      [count(1, "call"), count(2, "call"), count(1_200, "entry", "entries")],
      ["1 call", "2 calls", "1,200 entries"],
    ));
});

describe("clock", () => {
  test("has two digits a part", () => assert.equal(clock(new Date(2026, 0, 2, 3, 4, 5).getTime()), "03:04:05"));
});

describe("toCurl", () => {
  test("quotes any value so that a shell hands it over unchanged", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }).filter((s) => !s.includes("\0")),
        (body) => {
          const command = toCurl("http://h", {
            method: "POST",
            url: "/x?a='b'&c=$(id)",
            headers: [["X-A", "it's `x`"]],
            body,
          });
          const script = command.replace(/^curl/, "printf '%s\\0'");
          const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
          assert.deepEqual(words, [
            "--globoff",
            "http://h/x?a='b'&c=$(id)",
            "--request",
            "POST",
            "--header",
            "X-A: it's `x`",
            "--data-binary",
            body,
          ]);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("leaves GET unnamed, asks for the head of HEAD, and sends an empty header as one", () => {
    assert.equal(
      toCurl("http://h", { method: "GET", url: "/", headers: [["A", ""]], body: undefined }),
      "curl --globoff 'http://h/' \\\n  --header 'A;'",
    );
    assert.match(toCurl("http://h", { method: "HEAD", url: "/", headers: [], body: undefined }), /--head$/);
  });
});

describe("toTest", () => {
  test("is a test that fetches and compares the status", () => {
    const request = { method: "PUT", url: "/x", headers: [["A", "b"]] as const, body: "1" };
    assert.match(toFetch("http://h", request), /^await fetch\("http:\/\/h\/x", \{/);
    assert.match(
      toTest("http://h", request, 204),
      /test\("PUT \/x answers 204"[\s\S]+assert\.equal\(response\.status, 204\);\n\}\);$/,
    );
  });
});

describe("formatLink", () => {
  test("comes back from parseLink as it went", () => {
    const part = fc.option(fc.string({ minLength: 1, unit: "grapheme" }), { nil: null });
    fc.assert(
      fc.property(fc.record({ route: part, trace: part, bean: part }, { noNullPrototype: true }), (link) =>
        assert.deepEqual(parseLink(formatLink(link)), link),
      ),
    );
  });
});

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
  test("shows offset, bytes and ASCII, and how much it left out", () => {
    assert.equal(hexDump(new Uint8Array([65, 0, 255])), `00000000  41 00 ff${" ".repeat(39)}  A..`);
    assert.match(hexDump(new Uint8Array(40), 32), /… 8 more bytes$/);
  });
});
