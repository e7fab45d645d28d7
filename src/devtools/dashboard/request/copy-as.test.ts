/**
 * copy-as: a request as text for another tool.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import fc from "fast-check";
import { toCurl, toFetch, toTest } from "./copy-as.ts";

describe("toCurl", () => {
  test("quotes any value so that a shell passes it on unchanged", () => {
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
            "--data-raw",
            body,
          ]);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("leaves GET unnamed, requests only the head for HEAD, and keeps an empty header", () => {
    assert.equal(
      toCurl("http://h", { method: "GET", url: "/", headers: [["A", ""]], body: undefined }),
      "curl --globoff 'http://h/' \\\n  --header 'A;'",
    );
    assert.match(toCurl("http://h", { method: "HEAD", url: "/", headers: [], body: undefined }), /--head$/);
  });
});

describe("a form with files", () => {
  const picture = new File(["x"], 'a "lamp";.png', { type: "image/png" });
  const form = [
    ["alt", "@it's"],
    ["picture", picture],
  ] as const;
  const request = { method: "PUT", url: "/p", headers: [["A", "b"]] as const, body: undefined, form };

  test("DASH-151: is -F for cURL, with texts as texts and names as names", () => {
    const script = toCurl("http://h", request).replace(/^curl/, "printf '%s\\0'");
    const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
    assert.deepEqual(words, [
      "--globoff",
      "http://h/p",
      "--request",
      "PUT",
      "--header",
      "A: b",
      "--form-string",
      "alt=@it's",
      "-F",
      'picture=@"a \\"lamp\\";.png";type=image/png',
    ]);
  });

  test("is a FormData for fetch and for a test, with files that are read as they are sent", () => {
    const lines = [
      "const form = new FormData();",
      `form.append("alt", "@it's");`,
      `form.append("picture", await (await import("node:fs")).openAsBlob("a \\"lamp\\";.png", { type: "image/png" }), "a \\"lamp\\";.png");`,
    ];
    const [first, ...rest] = toFetch("http://h", request).split("\n");
    assert.deepEqual([first, ...rest.slice(0, 2)], lines);
    assert.match(rest.slice(2).join("\n"), /^await fetch\("http:\/\/h\/p", \{[^]+\],\n {2}"body": form\n\}\);$/);
    assert.match(toTest("http://h", request, 200), /\n {2}form\.append\("alt"[^]+\n {2}const response = await fetch/);
  });

  test("a file that is the whole body is sent as its bytes", () => {
    const whole = { method: "PUT", url: "/p", headers: [], body: picture };
    assert.match(toCurl("http://h", whole), /--data-binary '@a "lamp";\.png'$/);
    assert.match(toFetch("http://h", whole), /"body": await \(await import\("node:fs"\)\)\.openAsBlob/);
  });
});

describe("toTest", () => {
  test("is a test that fetches and compares the status", () => {
    const request = { method: "PUT", url: "/x", headers: [["A", "b"]] as const, body: "1" };
    assert.match(toFetch("http://h", request), /^await fetch\("http:\/\/h\/x", \{/);
    assert.match(
      toTest("http://h", request, 204),
      /test\("PUT \/x responds with 204"[\s\S]+assert\.equal\(response\.status, 204\);\n\}\);$/,
    );
  });
});
