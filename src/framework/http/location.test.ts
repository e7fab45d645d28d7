/** Unit tests of location.ts: URLs in header fields (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../dispatch/scaling.testkit.ts";
import { created } from "../testing/harness.testkit.ts";
import { encodedUrl } from "./location.ts";

describe("encodedUrl", () => {
  const urls: Readonly<Record<string, readonly [url: string, encoded: string]>> = {
    "a path and a query outside ASCII": ["/タグ?q=ü#é", "/%E3%82%BF%E3%82%B0?q=%C3%BC#%C3%A9"],
    "blanks and delimiters": ['/a b\t"<>`{}', "/a%20b%09%22%3C%3E%60%7B%7D"],
    "a percent sign that begins no escape": ["/100%?a=%4", "/100%25?a=%254"],
    "half a surrogate pair": ["/\ud800a\udc00", "/%EF%BF%BDa%EF%BF%BD"],
    "a character whose lower case is ASCII": ["/\u212a", "/%E2%84%AA"],
    "a host outside ASCII": ["https://ü:p@München.example:80/ü", "https://%C3%BC:p@xn--mnchen-3ya.example:80/%C3%BC"],
    "a host outside ASCII without a scheme": ["//日本.example", "//xn--wgv71a.example"],
    "an invalid host": ["//ü|/", "//%C3%BC|/"],
    "a host of a scheme of its own": ["app://ü/", "app://%C3%BC/"],
  };
  for (const [what, [url, encoded]] of Object.entries(urls))
    test(`encodes ${what}`, () => assert.equal(encodedUrl(url), encoded));

  test("leaves existing escapes and the delimiters of a URL", () => {
    for (const url of [
      "/a%20b?x=%c3%BC#%",
      "/a%20",
      "//h\\@h2/a;b=1,'()*!$&+|^~[]?#",
      "mailto:a@b",
      "http://[::1]:80/",
      "",
      "?",
    ])
      assert.equal(encodedUrl(url), url.replace(/%$/, "%25"));
  });

  test("gives encoded ASCII that a browser resolves to the same URL as the text", () => {
    const part = fc.string({ unit: fc.constantFrom(...('aZ0%/?#:@\\ü日\u{1f600} "<>`{}|^'.match(/./gsu) ?? [])) });
    fc.assert(
      fc.property(part, (text) => {
        const url = `/x/${text}.`; // A browser strips blanks at the end.
        const encoded = encodedUrl(url);
        assert.match(encoded, /^[\x21-\x7e]*$/);
        assert.equal(encodedUrl(encoded), encoded);
        const [before, after] = [url, encoded].map((one) => new URL(one, "http://h"));
        assert.deepEqual([after?.host, decoded(after?.pathname)], [before?.host, decoded(before?.pathname)]);
      }),
    );
  });

  test("takes time in proportion to the length", () => {
    for (const unit of ["@", "ü", ":"]) assertLinear(encodedUrl, unit, (text) => `//${text}`);
  });
});

/** A path without its escapes. A percent sign counts as one in every spelling. */
const decoded = (path = ""): string => decodeURIComponent(path.replace(/%(?![\dA-Fa-f]{2})/g, "%25"));

describe("a URL in a header field", () => {
  test("is percent-encoded in Location, Content-Location and the path of a cookie", async () => {
    const { app } = created();
    app.get("/redirect", (ctx) => ctx.redirect("/タグ/日本"));
    app.get("/headers", (ctx) =>
      ctx
        .setHeader("location", "/ü")
        .appendHeader("Content-Location", "/%C3%BC b")
        .setCookie("a", "1", { path: "/ü b" }),
    );
    const fields = async (path: string): Promise<unknown> => {
      const { status, headers } = await app.request(path);
      const cookie = headers.get("set-cookie")?.split("; ")[1];
      return [status, headers.get("location"), headers.get("content-location"), cookie];
    };
    assert.deepEqual(await fields("/redirect"), [302, "/%E3%82%BF%E3%82%B0/%E6%97%A5%E6%9C%AC", null, undefined]);
    assert.deepEqual(await fields("/headers"), [204, "/%C3%BC", "/%C3%BC%20b", "Path=/%C3%BC%20b"]);
  });

  test("cannot split a response", async () => {
    const { app } = created();
    app.get("/", (ctx) => ctx.redirect("/ü\r\nSet-Cookie: a=1"));
    assert.equal((await app.request("/")).status, 500);
  });
});
