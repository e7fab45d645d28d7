/** The setting trustProxy: accepted values, and the errors for others (LIFE, CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { trustOf } from "./trust.ts";

describe("trustOf", () => {
  test("accepts true for X-Forwarded-* of one proxy", () => {
    const one = { header: "x-forwarded", hops: 1, from: undefined };
    assert.deepEqual(
      [trustOf(undefined), trustOf(false), trustOf(true), trustOf({ header: "x-forwarded" })],
      [false, false, one, one],
    );
    assert.deepEqual(trustOf({ header: "forwarded", hops: 3 }), { header: "forwarded", hops: 3, from: undefined });
    assert.deepEqual(trustOf({ header: "forwarded", hops: 100 }), { header: "forwarded", hops: 100, from: undefined });
  });

  test("accepts names, addresses and ranges", () => {
    const trust = trustOf({ header: "forwarded", from: ["loopback", "private", "203.0.113.7", "2001:db8::/32"] });
    assert.deepEqual(trust === false ? [] : trust.from?.map(({ bits }) => bits), [104, 128, 104, 108, 112, 7, 128, 32]);
  });

  const allowed = {
    any: 'false, true, { header: "x-forwarded", hops: 1 } or { header, from: ["private"] } is allowed',
    header: '"x-forwarded" or "forwarded", the one that your proxy writes, is allowed',
    hops: "a whole number from 1 to 100 is allowed",
    place:
      '"loopback", "private", an address, or a range such as "10.0.0.0/8" (never /0, which is everybody) is allowed',
  };
  const bad: readonly (readonly [given: unknown, sentence: string])[] = [
    ["yes", `trustProxy is "yes": ${allowed.any}`],
    [1, `trustProxy is 1: ${allowed.any}`],
    [null, `trustProxy is null: ${allowed.any}`],
    [["loopback"], `trustProxy is ["loopback"]: ${allowed.any}`],
    [{}, `trustProxy.header is undefined: ${allowed.header}`],
    [{ hops: 1 }, `trustProxy.header is undefined: ${allowed.header}`],
    [{ header: "X-Forwarded-For" }, `trustProxy.header is "X-Forwarded-For": ${allowed.header}`],
    [{ header: "forwarded", hop: 1 }, "trustProxy.hop is no setting: header, hops, from are"],
    [{ header: "forwarded", hops: 0 }, `trustProxy.hops is 0: ${allowed.hops}`],
    [{ header: "forwarded", hops: 1.5 }, `trustProxy.hops is 1.5: ${allowed.hops}`],
    [{ header: "forwarded", hops: 101 }, `trustProxy.hops is 101: ${allowed.hops}`],
    [{ header: "forwarded", hops: "1" }, `trustProxy.hops is "1": ${allowed.hops}`],
    [
      { header: "forwarded", from: "loopback" },
      `trustProxy.from is "loopback": a list of at least one of ${allowed.place}`,
    ],
    [{ header: "forwarded", from: [] }, `trustProxy.from is []: a list of at least one of ${allowed.place}`],
    [{ header: "forwarded", from: ["loopback", "10/8"] }, `trustProxy.from[1] is "10/8": ${allowed.place}`],
    [{ header: "forwarded", from: ["0.0.0.0/0"] }, `trustProxy.from[0] is "0.0.0.0/0": ${allowed.place}`],
    [{ header: "forwarded", from: [7] }, `trustProxy.from[0] is 7: ${allowed.place}`],
    [{ header: "forwarded", from: [["::1"]] }, `trustProxy.from[0] is ["::1"]: ${allowed.place}`],
    [{ header: "forwarded", hops: 1, from: ["loopback"] }, "trustProxy has hops and from: one of them is allowed"],
  ];
  for (const [given, message] of bad)
    test(`rejects ${JSON.stringify(given)}`, () =>
      assert.throws(() => trustOf(given), { name: "TypeError", code: "CONFIG_INVALID", message }));
});
