/** What is a Host, and what is none (ROUTE). */
import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { isHost, isSoundTarget } from "./authority.ts";

const hosts: Readonly<Record<string, readonly string[]>> = {
  "a name": ["x", "app.test", "a_b", "A-1", "x.", "caf%C3%A9", "a+b", "a;b=c", "a!b$c&d'e(f)g*h~i"],
  "an address": ["127.0.0.1", "[::1]", "[::ffff:1.2.3.4]", "[2001:DB8::7]"],
  "one with a port": ["x:80", "x:", "x:0", "x:00080", "x:65535", "[::1]:8080", "127.0.0.1:1"],
  "no authority at all": [""],
};

const others: Readonly<Record<string, readonly string[]>> = {
  "with user information": ["user@host", "user:pass@host", "@", "a@[::1]"],
  "with a path, a query or a fragment": ["host/path", "host?q", "host#f", "http://host"],
  "a list": ["a,b", "a, b", ","],
  "with a space": ["a b", "a\tb", " "],
  "half an address": ["[::1", "::1]", "::1", "[", "]", "[]", "[:]"],
  "no address": ["[::g]", "[1.2.3.4]", "[::1::2]", "[1:2:3:4:5:6:7:8:9]", "[::1%25eth0]", "[v1.x]", "[::1]x"],
  "with a character that no host has": ["exa<mple", 'a"b', "a\\b", "a[b", "a{b", "a|b", "a^b", "a`b", "\u00e9", "a\0b"],
  "with half an escape": ["a%", "a%4", "a%zz"],
  "with a port that is none": [
    "x:99999",
    "x:65536",
    "x:8a",
    "x:+80",
    "x:-1",
    "x:80:80",
    "x: 80",
    `x:${"9".repeat(400)}`,
  ],
  "a port alone": [":80", ":"],
};

describe("isHost", () => {
  for (const [what, values] of Object.entries(hosts))
    it(`ROUTE-020: takes ${what}`, () => {
      deepEqual(
        values.filter((value) => !isHost(value)),
        [],
      );
    });
  for (const [what, values] of Object.entries(others))
    it(`ROUTE-020: does not take what is ${what}`, () => deepEqual(values.filter(isHost), []));

  it("says the same again, also when more good values came than it remembers", () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `host-${at}`);
    for (let time = 0; time < 2; time += 1) {
      ok(names.every(isHost));
      deepEqual(Object.values(others).flat().filter(isHost), []);
    }
  });

  it("takes time in proportion to what it looks at", () => {
    const long = 1_000_000;
    for (const value of ["x".repeat(long), "%41".repeat(long / 3), `${"x".repeat(long)}@`, `x:${"0".repeat(long)}x`]) {
      const startedAt = performance.now();
      isHost(value);
      ok(performance.now() - startedAt < 1_000, value.slice(-9));
    }
  });
});

describe("isSoundTarget", () => {
  it("takes a path, `*`, and a URL whose host is one", () => {
    const targets = ["/", "/a?b", "//a", "*", "http://x", "HTTPS://x:1/a?u@v", "http://[::1]/", "other:thing", "a"];
    deepEqual(
      targets.filter((target) => !isSoundTarget(target)),
      [],
    );
  });

  it("ROUTE-020: does not take a fragment, or a URL with another host", () => {
    const targets = ["/#", "/a?b#c", "http://u@x/", "http:///a", "http://?a", "https://a,b/", "http://x:99999"];
    equal(targets.filter(isSoundTarget).length, 0);
  });
});
