/** Unit tests of addresses.ts: parsing addresses and ranges, and matching them (CTX). */
import assert from "node:assert/strict";
import { BlockList, isIP } from "node:net";
import { describe, it, test } from "node:test";
import fc from "fast-check";
import { isWithin, parseAddress, parseRanges, shownAddress } from "./addresses.ts";

describe("parseAddress", () => {
  const shown: Readonly<Record<string, string | undefined>> = {
    "10.0.0.1": "10.0.0.1",
    "0.0.0.0": "0.0.0.0",
    "255.255.255.255": "255.255.255.255",
    "2001:DB8::1": "2001:db8::1",
    "::": "::",
    "1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8",
    "1::8": "1::8",
    "::ffff:10.0.0.1": "10.0.0.1",
    "::FFFF:a00:1": "10.0.0.1",
    "0:0:0:0:0:ffff:10.0.0.1": "10.0.0.1",
    "::10.0.0.1": "::10.0.0.1",
    "64:ff9b::10.0.0.1": "64:ff9b::10.0.0.1",
    "0000:0000:0000:0000:0000:FFFF:255.255.255.255": "255.255.255.255",
    "": undefined,
    "10.0.0": undefined,
    "10.0.0.256": undefined,
    "10.0.0.01": undefined,
    "10.0.0.1.": undefined,
    "0x7f.0.0.1": undefined,
    "2130706433": undefined,
    "1:2:3:4:5:6:7": undefined,
    "1:2:3:4:5:6:7:8:9": undefined,
    "1::2::3": undefined,
    "1:2:3:4::5:6:7:8": undefined,
    ":1": undefined,
    "1:": undefined,
    ":::": undefined,
    "12345::": undefined,
    "g::": undefined,
    "fe80::1%eth0": undefined,
    "10.0.0.1::": undefined,
    "::10.0.0.1:1": undefined,
    "::10.0.0.256": undefined,
    "[::1]": undefined,
    " 10.0.0.1": undefined,
  };
  for (const [text, address] of Object.entries(shown))
    test(`${JSON.stringify(text)} is ${address ?? "none"}`, () => assert.equal(parseAddress(text)?.text, address));

  it("accepts the same addresses as Node, except those with a zone", () =>
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string(), texts()), (text) => {
        assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0 && !text.includes("%"), text);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    ));
});

/** Texts that look almost like addresses. */
const texts = (): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(":", "::", ".", "0", "1", "ffff", "255", "256", "a", "%"), { maxLength: 16 })
    .map((parts) => parts.join(""));

describe("parseRanges and isWithin", () => {
  const cases: readonly (readonly [range: string, within: readonly string[], without: readonly string[]])[] = [
    ["loopback", ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"], ["128.0.0.1", "::2", "10.0.0.1"]],
    [
      "private",
      ["10.9.8.7", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fc00::1", "fdff::1", "::ffff:10.0.0.1"],
      ["172.15.0.1", "172.32.0.1", "192.169.0.1", "fe00::1", "127.0.0.1", "169.254.0.1", "fe80::1"],
    ],
    ["10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:a00:1"], ["11.0.0.0", "::10.0.0.1", "a00::"]],
    ["10.1.2.3", ["10.1.2.3"], ["10.1.2.4"]],
    ["10.1.2.3/31", ["10.1.2.2", "10.1.2.3"], ["10.1.2.4", "10.1.2.1"]],
    ["2001:db8::/33", ["2001:db8:7fff::"], ["2001:db8:8000::", "2001:db9::"]],
    ["2001:db8::1", ["2001:DB8:0:0::1"], ["2001:db8::2"]],
    ["::/1", ["::1", "7fff::"], ["8000::", "10.0.0.1"]],
    ["::ffff:0a00:0/104", ["10.1.1.1"], ["11.1.1.1"]],
  ];
  for (const [text, within, without] of cases)
    test(text, () => {
      const ranges = parseRanges(text) ?? [];
      const lies = (address: string): boolean => {
        const parsed = parseAddress(address);
        assert.ok(parsed, address);
        return isWithin(parsed, ranges);
      };
      assert.deepEqual([within.filter((one) => !lies(one)), without.filter(lies)], [[], []]);
    });

  const none = [
    "",
    "Loopback",
    "localhost",
    "10.0.0.0/0",
    "::/0",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10.0.0.0/8 ",
    "10/8",
    "fe80::1%eth0",
    "::ffff:10.0.0.1",
    "/8",
    "10.0.0.0/-1",
    "[::1]",
  ];
  for (const text of none)
    test(`${JSON.stringify(text)} is not a range`, () => assert.equal(parseRanges(text), undefined));

  it("agrees with Node's own ranges", () => {
    const pairs = fc.oneof(
      fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 1, max: 32 }), fc.constant("ipv4" as const)),
      fc.tuple(fc.ipV6(), fc.ipV6(), fc.integer({ min: 1, max: 128 }), fc.constant("ipv6" as const)),
    );
    fc.assert(
      fc.property(pairs, fc.nat(255), ([network, other, bits, family], near) => {
        const list = new BlockList();
        list.addSubnet(network, bits, family);
        const ranges = parseRanges(`${network}/${bits}`);
        for (const text of [network, other, network.replace(/[^.:]+$/, String(near))]) {
          const address = parseAddress(text);
          if (ranges === undefined || address === undefined || isIP(text) !== Number(family.slice(3))) continue;
          assert.equal(isWithin(address, ranges), list.check(text, family), `${text} in ${network}/${bits}`);
        }
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    );
  });
});

describe("shownAddress", () => {
  it("CTX-024: writes IPv4 as IPv4", () =>
    assert.deepEqual(["::ffff:127.0.0.1", "127.0.0.1", "::1", "::ffff:1", undefined].map(shownAddress), [
      "127.0.0.1",
      "127.0.0.1",
      "::1",
      "::ffff:1",
      undefined,
    ]));
});
