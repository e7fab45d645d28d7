/** Unit tests of proxies.ts: only the nearest proxy's entry counts (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Exchange } from "./engine/exchange.ts";
import { forwardedFor, forwardedProto } from "./proxies.ts";

const from = (headers: Readonly<Record<string, string>>): Exchange =>
  ({ header: (name: string) => headers[name] }) as unknown as Exchange;

describe("forwardedFor", () => {
  const cases: readonly (readonly [Record<string, string>, string | undefined])[] = [
    [{}, undefined],
    [{ "x-forwarded-for": "" }, undefined],
    [{ "x-forwarded-for": "6.6.6.6, 1.2.3.4" }, "1.2.3.4"],
    [{ "x-forwarded-for": "1.2.3.4:5678" }, "1.2.3.4"],
    [{ "x-forwarded-for": "2001:db8::1" }, "2001:db8::1"],
    [{ forwarded: 'for=6.6.6.6, For="[2001:db8::1]:4711";proto=https' }, "2001:db8::1"],
    [{ forwarded: "proto=https;broken", "x-forwarded-for": "1.2.3.4" }, "1.2.3.4"],
  ];
  for (const [headers, address] of cases)
    test(`reads ${JSON.stringify(headers)}`, () => assert.equal(forwardedFor(from(headers)), address));
});

describe("forwardedProto", () => {
  const cases: readonly (readonly [Record<string, string>, string | undefined])[] = [
    [{}, undefined],
    [{ "x-forwarded-proto": "http, HTTPS" }, "https"],
    [{ "x-forwarded-proto": "javascript" }, undefined],
    [{ forwarded: "for=1;proto=http", "x-forwarded-proto": "https" }, "http"],
  ];
  for (const [headers, scheme] of cases)
    test(`reads ${JSON.stringify(headers)}`, () => assert.equal(forwardedProto(from(headers)), scheme));
});
