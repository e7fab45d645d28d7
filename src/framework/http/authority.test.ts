/** Unit tests of authority.ts: hosts and ports (CTX, ROUTE). */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../dispatch/scaling.testkit.ts";
import { authorityOf, authorityText, isHost, isSoundTarget, parseAuthority, parsePort } from "./authority.ts";

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

  it("accepts nothing that a URL would reject as its host", () =>
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
          if (authority === undefined || /^[\d.]*$|\.(?:0x[0-9a-f]*|\d+)\.?$/i.test(authority.name)) return; // not an IPv4 that URL accepts
          if (/^[-.]|--|\.\.|xn--/i.test(authority.name)) return;
          const url = new URL(`http://${authorityText(authority, undefined, "http")}/path`);
          assert.equal(url.pathname, "/path");
          assert.equal(url.username, "");
        },
      ),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    ));
});

describe("parsePort", () => {
  test("accepts 1 to 65535 in digits", () =>
    assert.deepEqual(["1", "65535", "0443", "0", "65536", "", "+1", " 1", "1e3", "99999999999"].map(parsePort), [
      1,
      65_535,
      443,
      ...Array<undefined>(7).fill(undefined),
    ]));
});

describe("authorityOf", () => {
  test("is the authority of an absolute target", () => {
    const targets = ["/a", "*", "http://h:1/a", "HTTPS://h?x", "http://h", "ftp://h/", "//h/", "x:http://h/"];
    const none = undefined;
    assert.deepEqual(targets.map(authorityOf), [none, none, "h:1", "h", "h", none, none, none]);
  });
});

describe("authorityText", () => {
  test("adds a separate port, unless it is the scheme's default", () => {
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

const hosts: Readonly<Record<string, readonly string[]>> = {
  "a name": ["x", "app.test", "a_b", "A-1", "x.", "caf%C3%A9", "a+b", "a;b=c", "a!b$c&d'e(f)g*h~i"],
  "a name that is nearly an address": ["1.2.3.256", "1.2"],
  "a long name": ["x".repeat(257), `${"x".repeat(300)}:80`],
  "an address": ["127.0.0.1", "[::1]", "[::ffff:1.2.3.4]", "[2001:DB8::7]"],
  "one with a port": ["x:80", "x:", "x:0", "x:00080", "x:65535", "[::1]:8080", "127.0.0.1:1"],
  "no authority at all": [""],
};

const others: Readonly<Record<string, readonly string[]>> = {
  "with user information": ["user@host", "user:pass@host", "@", "a@[::1]", "[::1]@x", "[::1]:80@x", "[x@[::1]"],
  "with a path, a query or a fragment": ["host/path", "host?q", "host#f", "http://host"],
  "a list": ["a,b", "a, b", ","],
  "with a space": ["a b", "a\tb", " "],
  "half an address": ["[::1", "::1]", "::1", "[", "]", "[]", "[:]"],
  "no address": ["[::g]", "[1.2.3.4]", "[::1::2]", "[1:2:3:4:5:6:7:8:9]", "[::1%25eth0]", "[v1.x]", "[::1]x"],
  "with an invalid character": ["exa<mple", 'a"b', "a\\b", "a[b", "a{b", "a|b", "a^b", "a`b", "\u00e9", "a\0b"],
  "with half an escape": ["a%", "a%4", "a%zz"],
  "with an invalid port": ["x:99999", "x:65536", "x:8a", "x:+80", "x:-1", "x:80:80", "x: 80", `x:${"9".repeat(400)}`],
  "a port alone": [":80", ":"],
};

describe("isHost", () => {
  for (const [what, values] of Object.entries(hosts))
    it(`ROUTE-020: accepts ${what}`, () => {
      assert.deepEqual(
        values.filter((value) => !isHost(value)),
        [],
      );
    });
  for (const [what, values] of Object.entries(others))
    it(`ROUTE-020: rejects ${what}`, () => assert.deepEqual(values.filter(isHost), []));

  it("gives the same result again, also after more good values than it remembers", () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `host-${at}`);
    for (let time = 0; time < 2; time += 1) {
      assert.ok(names.every(isHost));
      assert.deepEqual(Object.values(others).flat().filter(isHost), []);
    }
  });

  it("takes time in proportion to the length of the input", () => {
    for (const [unit, start, end] of [["x"], ["%41"], ["x", "", "@"], ["0", "x:", "x"]] as const)
      assertLinear(isHost, unit, (text) => `${start ?? ""}${text}${end ?? ""}`);
  });
});

describe("isSoundTarget", () => {
  it("accepts a path, `*`, and a URL with a valid host", () => {
    const targets = ["/", "/a?b", "//a", "*", "http://x", "HTTPS://x:1/a?u@v", "http://[::1]/", "other:thing", "a"];
    assert.deepEqual(
      targets.filter((target) => !isSoundTarget(target)),
      [],
    );
  });

  it("ROUTE-020: rejects a fragment, and a URL with an invalid host", () => {
    const targets = ["/#", "/a?b#c", "http://u@x/", "http:///a", "http://?a", "https://a,b/", "http://x:99999"];
    assert.equal(targets.filter(isSoundTarget).length, 0);
  });
});
