/** Trusted proxies set the client's address, scheme and host, and clients cannot forge them (CTX). */
import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import type { Exchange } from "./exchange.ts";
import { forwardingOf } from "./forwarded.ts";
import { trustOf, type TrustedProxies } from "./trust.ts";

type Headers = Readonly<Record<string, string>>;

/** The trusted values of a request with these headers: address, scheme, host and port. */
function believed(setting: true | TrustedProxies, headers: Headers, peer?: string): readonly unknown[] {
  const trust = trustOf(setting);
  assert.ok(trust !== false);
  const exchange = { header: (name: string) => headers[name], peer } as unknown as Exchange;
  const { address, scheme, host, port } = forwardingOf(trust, exchange);
  const found = [address, scheme, host && `${host.name}${host.port === undefined ? "" : `:${host.port}`}`, port];
  while (found.length > 0 && found.at(-1) === undefined) found.pop();
  return found;
}

const x: TrustedProxies = { header: "x-forwarded" };
const f: TrustedProxies = { header: "forwarded" };
const xFrom: TrustedProxies = { header: "x-forwarded", from: ["loopback", "private", "203.0.113.0/24"] };
const fFrom: TrustedProxies = { ...xFrom, header: "forwarded" };

describe("forwardingOf", () => {
  describe("reads one family of headers and never the other", () => {
    const both = { "x-forwarded-for": "1.1.1.1", "x-forwarded-proto": "http", forwarded: "for=2.2.2.2;proto=https" };
    const { forwarded, ...onlyX } = both;
    test("true", () => assert.deepEqual(believed(true, both), ["1.1.1.1", "http"]));
    test("true, with Forwarded alone", () => assert.deepEqual(believed(true, { forwarded }), []));
    test("x-forwarded", () => assert.deepEqual(believed(x, both), ["1.1.1.1", "http"]));
    test("forwarded", () => assert.deepEqual(believed(f, both), ["2.2.2.2", "https"]));
    test("forwarded, with X-Forwarded-* alone", () => assert.deepEqual(believed(f, onlyX), []));
  });

  describe("trusts the element that the farthest trusted proxy wrote", () => {
    const cases: readonly (readonly [string, TrustedProxies, Headers, string | undefined, readonly unknown[]])[] = [
      ["nothing sent", x, {}, undefined, []],
      ["an empty field", x, { "x-forwarded-for": "" }, undefined, []],
      ["empty entries", x, { "x-forwarded-for": ", ,1.2.3.4,, " }, undefined, ["1.2.3.4"]],
      ["a client's claim before the proxy's entry", x, { "x-forwarded-for": "6.6.6.6, 1.2.3.4" }, undefined, ["1.2.3.4"]],
      ["two hops", { ...x, hops: 2 }, { "x-forwarded-for": "6.6.6.6, 1.2.3.4, 9.9.9.9" }, undefined, ["1.2.3.4"]],
      ["fewer entries than hops", { ...x, hops: 9 }, { "x-forwarded-for": "1.2.3.4,9.9.9.9" }, undefined, ["1.2.3.4"]],
      ["a port", x, { "x-forwarded-for": "1.2.3.4:5678" }, undefined, ["1.2.3.4"]],
      ["IPv6", x, { "x-forwarded-for": "2001:DB8::1" }, undefined, ["2001:db8::1"]],
      ["IPv6 and a port", x, { "x-forwarded-for": "[2001:db8::1]:99" }, undefined, ["2001:db8::1"]],
      ["IPv4 in IPv6", x, { "x-forwarded-for": "::ffff:10.0.0.1" }, undefined, ["10.0.0.1"]],
      ["no address", x, { "x-forwarded-for": "1.2.3.4, evil" }, undefined, []],
      ["unknown", x, { "x-forwarded-for": "1.2.3.4, unknown" }, undefined, []],
      ["markup", x, { "x-forwarded-for": "<script>" }, undefined, []],
      ["a zone", x, { "x-forwarded-for": "fe80::1%eth0" }, undefined, []],
      ["brackets around IPv4", x, { "x-forwarded-for": "[1.2.3.4]" }, undefined, []],
      ["a quote of the client's", x, { "x-forwarded-for": '"6.6.6.6, 1.2.3.4' }, undefined, ["1.2.3.4"]],

      ["a comma in a quote of the client's", { ...x, hops: 2 }, { "x-forwarded-for": '6.6.6.6, "a, 1.2.3.4"' }, undefined, []],

      ["the socket is a proxy", xFrom, { "x-forwarded-for": "6.6.6.6, 1.2.3.4" }, "127.0.0.1", ["1.2.3.4"]],
      ["the socket is one in IPv6", xFrom, { "x-forwarded-for": "1.2.3.4" }, "::ffff:10.0.0.1", ["1.2.3.4"]],
      ["the socket has a zone", { ...x, from: ["fe80::/10"] }, { "x-forwarded-for": "1.2.3.4" }, "fe80::1%eth0", ["1.2.3.4"]],
      ["the socket is not trusted", xFrom, { "x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https" }, "8.8.8.8", []],
      ["no socket is known", xFrom, { "x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https" }, undefined, []],
      ["proxies in a row", xFrom, { "x-forwarded-for": "6.6.6.6, 1.2.3.4, 10.0.0.1, ::ffff:203.0.113.9" }, "::1", ["1.2.3.4"]],
      ["proxies alone", xFrom, { "x-forwarded-for": "10.0.0.9, 10.0.0.1" }, "::1", ["10.0.0.9"]],
      ["no address between", xFrom, { "x-forwarded-for": "1.2.3.4, unknown, 10.0.0.1" }, "::1", []],

      ["the last proto", x, { "x-forwarded-proto": "https, HTTP" }, undefined, [undefined, "http"]],
      ["an invalid proto", x, { "x-forwarded-proto": "javascript" }, undefined, []],
      ["a proto before an invalid one", x, { "x-forwarded-proto": "https, gopher" }, undefined, []],
      ["the last host", x, { "x-forwarded-host": "evil.example, shop.example:8443" }, undefined, [undefined, undefined, "shop.example:8443"]],
      ["an invalid host", x, { "x-forwarded-host": "shop.example, user@evil.example" }, undefined, []],
      ["a port", x, { "x-forwarded-port": "80, 8443" }, undefined, [undefined, undefined, undefined, 8443]],
      ["an invalid port", x, { "x-forwarded-port": "8443, 99999" }, undefined, []],

      ["an element", f, { forwarded: "for=1.2.3.4;proto=https;host=shop.example" }, undefined, ["1.2.3.4", "https", "shop.example"]],
      ["names in capitals, blanks, empty pairs", f, { forwarded: ";For=1.2.3.4 ; ;\tPROTO=HTTPS;" }, undefined, ["1.2.3.4", "https"]],
      ["quotes", f, { forwarded: 'for="[2001:db8::1]:4711";host="shop.example:8443"' }, undefined, ["2001:db8::1", undefined, "shop.example:8443"]],
      ["escapes", f, { forwarded: 'for="1\\.2.3\\.4";proto="htt\\ps"' }, undefined, ["1.2.3.4", "https"]],
      ["a comma in quotes", f, { forwarded: 'for=6.6.6.6, by="a,b\\",c";for=1.2.3.4' }, undefined, ["1.2.3.4"]],
      ["a hidden port", f, { forwarded: 'for="1.2.3.4:_web"' }, undefined, ["1.2.3.4"]],
      ["unknown, with its proto", f, { forwarded: "for=1.1.1.1, for=unknown;proto=https" }, undefined, [undefined, "https"]],
      ["a hidden node", f, { forwarded: 'for="_hidden"' }, undefined, []],
      ["two lines, joined", f, { forwarded: "for=6.6.6.6, for=1.2.3.4" }, undefined, ["1.2.3.4"]],
      ["two hops", { ...f, hops: 2 }, { forwarded: "for=6.6.6.6, for=1.2.3.4;proto=https, for=9.9.9.9;proto=http" }, undefined, ["1.2.3.4", "https"]],
      ["no address at the nearest of two hops", { ...f, hops: 2 }, { forwarded: "for=1.2.3.4, for=unknown" }, undefined, ["1.2.3.4"]],
      ["a client's open quote", f, { forwarded: 'for=6.6.6.6;x=", for=1.2.3.4' }, undefined, ["1.2.3.4"]],
      ["a client's open quote before the proxy's own", f, { forwarded: 'for=6.6.6.6;x=", for="[::2]";host="a.example"' }, undefined, ["::2", undefined, "a.example"]],
      ["a client's backslash before the proxy's own", f, { forwarded: 'for=6.6.6.6;x="\\, for="1.2.3.4"' }, undefined, ["1.2.3.4"]],
      ["a parameter twice", f, { forwarded: "for=1.2.3.4;For=1.2.3.5" }, undefined, []],
      ["no pair", f, { forwarded: "for=1.2.3.4;broken" }, undefined, []],
      ["text after a quote", f, { forwarded: 'for="1.2.3.4"x' }, undefined, []],
      ["an unquoted colon", f, { forwarded: "for=2001:db8::1" }, undefined, []],
      ["no value", f, { forwarded: "for=" }, undefined, []],

      ["Forwarded from proxies", fFrom, { forwarded: 'for=6.6.6.6, for=1.2.3.4;proto=https;host=a.example, for="[fd00::1]";proto=http' }, "10.0.0.2", ["1.2.3.4", "https", "a.example"]],
      ["Forwarded from an untrusted address", fFrom, { forwarded: "for=1.2.3.4" }, "8.8.8.8", []],
      ["a hidden node between", fFrom, { forwarded: "for=1.2.3.4, for=_a;proto=https, for=10.0.0.1" }, "::1", [undefined, "https"]],
    ]; // oxfmt-ignore
    for (const [name, setting, headers, peer, expected] of cases)
      test(`${setting.header}, ${"from" in setting ? "from" : `hops ${setting.hops ?? 1}`}: ${name}`, () =>
        assert.deepEqual(believed(setting, headers, peer), expected));
  });

  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '"',
          "\\",
          ",",
          ";",
          "=",
          "for",
          "For=",
          "for=6.6.6.6",
          'for="',
          "6.6.6.6",
          " ",
          "\t",
          "[",
          "]",
          "::",
          "_x",
          "unknown",
          "proto=https",
          'host="',
        ),
        fc.string({ maxLength: 6 }),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(""));
  const client = fc.oneof(fc.ipV4(), fc.ipV6());
  const proxied = (text: string): string => (text.includes(":") ? `"[${text}]"` : text);

  it("lets no forged element of a client hide or change the proxy's own", () =>
    fc.assert(
      fc.property(hostile, client, fc.constantFrom(",", ", "), (claims, address, comma) => {
        const shown = believed(true, { "x-forwarded-for": address });
        assert.deepEqual(believed(true, { "x-forwarded-for": `${claims}${comma}${address}` }), shown);
        const element = `for=${proxied(address)};proto=http;host="shop.example:81";by=_p`;
        const said = believed(f, { forwarded: element });
        assert.deepEqual(said, [...shown, "http", "shop.example:81"]);
        assert.deepEqual(believed(f, { forwarded: `${claims}${comma}${element}` }), said);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    ));

  it("gives a valid address or none, a valid host or none, for any input", () =>
    fc.assert(
      fc.property(hostile, fc.nat(3), fc.boolean(), (text, hops, counts) => {
        for (const header of ["x-forwarded", "forwarded"] as const) {
          const setting: TrustedProxies = counts ? { header, hops: hops + 1 } : { header, from: ["private"] };
          const headers = {
            forwarded: text,
            "x-forwarded-for": text,
            "x-forwarded-host": text,
            "x-forwarded-proto": text,
          };
          const [address, scheme, host] = believed(setting, headers, "10.0.0.1");
          assert.ok(address === undefined || isIP(String(address)) !== 0, String(address));
          assert.ok(scheme === undefined || scheme === "http" || scheme === "https");
          assert.ok(host === undefined || /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?$/i.test(String(host)), String(host));
        }
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    ));

  it("is linear: 16 KiB take less than 100 ms", () => {
    const size = 16_384;
    for (const unit of [
      '"',
      "\\",
      '\\"',
      ",",
      ";",
      " ",
      "\t;",
      "a",
      "a=",
      'a="',
      "for=1;",
      "for=10.0.0.1,",
      "10.0.0.1,",
      "::1,",
      "[",
      "1.",
      ":",
    ])
      for (const setting of [xFrom, fFrom, { ...x, hops: 100 }, { ...f, hops: 100 }]) {
        const text = unit.repeat(Math.ceil(size / unit.length));
        const headers = {
          forwarded: text,
          "x-forwarded-for": text,
          "x-forwarded-host": text,
          "x-forwarded-proto": text,
        };
        const quickest = Math.min(
          ...Array.from({ length: 5 }, () => {
            const start = performance.now();
            believed(setting, headers, "::1");
            return performance.now() - start;
          }),
        );
        assert.ok(quickest < 100, `${JSON.stringify(unit)}: ${quickest} ms`);
      }
  });
});
