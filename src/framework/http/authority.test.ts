/** Hosts and ports: what is one (CTX). */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import { authorityOf, authorityText, parseAuthority, parsePort } from "./authority.ts";

describe("parseAuthority", () => {
  const cases: Readonly<Record<string, readonly [name: string, port: number | undefined] | undefined>> = {
    "shop.example": ["shop.example", undefined],
    "Shop.Example:8443": ["Shop.Example", 8443],
    "a_b-c.d.": ["a_b-c.d.", undefined],
    "shop.example:": ["shop.example", undefined],
    "10.0.0.1:80": ["10.0.0.1", 80],
    "[2001:db8::1]": ["[2001:db8::1]", undefined],
    "[::1]:65535": ["[::1]", 65_535],
    "": undefined,
    ":80": undefined,
    "a b": undefined,
    "a,b": undefined,
    "user@host": undefined,
    "host/path": undefined,
    "host?x": undefined,
    "host#x": undefined,
    "exa<mple": undefined,
    "[::1": undefined,
    "::1": undefined,
    "[1.2.3.4]": undefined,
    "[1::2::3]": undefined,
    "host:0": undefined,
    "host:65536": undefined,
    "host:99999": undefined,
    "host:8o": undefined,
    "host:80:80": undefined,
    "café.example": undefined,
    "a\tb": undefined,
    "%61": undefined,
  };
  for (const [text, found] of Object.entries(cases))
    test(`${JSON.stringify(text)} is ${found?.join(" and ") ?? "none"}`, () => {
      const twice = [parseAuthority(text), parseAuthority(text)];
      assert.deepEqual(
        twice.map((authority) => authority && [authority.name, authority.port]),
        [found, found],
      );
    });

  it("passes on nothing that a URL would not take as its host", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webAuthority(),
          fc.string(),
          fc.domain(),
          fc.ipV6().map((ip) => `[${ip}]:1`),
        ),
        (text) => {
          const authority = parseAuthority(text);
          if (authority === undefined || /^[\d.]*$|\.(?:0x[0-9a-f]*|\d+)\.?$/i.test(authority.name)) return; // no IPv4 that URL takes
          if (/^[-.]|--|\.\.|xn--/i.test(authority.name)) return;
          const url = new URL(`http://${authorityText(authority, undefined, "http")}/path`);
          assert.equal(url.pathname, "/path");
          assert.equal(url.username, "");
        },
      ),
      { numRuns: 10_000 },
    ));
});

describe("parsePort", () => {
  test("takes 1 to 65535 in digits", () =>
    assert.deepEqual(["1", "65535", "0443", "0", "65536", "", "+1", " 1", "1e3", "99999999999"].map(parsePort), [
      1,
      65_535,
      443,
      ...Array<undefined>(7).fill(undefined),
    ]));
});

describe("authorityOf", () => {
  test("is that of an absolute target", () =>
    assert.deepEqual(["/a", "*", "http://h:1/a", "HTTPS://h?x", "http://h", "ftp://h/", "//h/"].map(authorityOf), [
      undefined,
      undefined,
      "h:1",
      "h",
      "h",
      undefined,
      undefined,
    ]));
});

describe("authorityText", () => {
  test("adds a port that was said apart, unless the scheme means it", () => {
    const bare = { name: "h", port: undefined };
    assert.deepEqual(
      [
        authorityText({ name: "h", port: 443 }, 8443, "https"),
        authorityText(bare, 8443, "https"),
        authorityText(bare, 443, "https"),
        authorityText(bare, 80, "http"),
        authorityText(bare, 80, "https"),
        authorityText(bare, undefined, "http"),
      ],
      ["h:443", "h:8443", "h", "h", "h:80", "h"],
    );
  });
});
