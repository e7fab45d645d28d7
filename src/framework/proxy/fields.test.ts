import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Context } from "../http/context.ts";
import { requestLines } from "./fields.ts";

describe("requestLines", () => {
  test("quotes values that are not tokens of RFC 7239: an IPv6 address, a host with a port", () => {
    const ctx = {
      peerAddress: "2001:db8::7",
      scheme: "https",
      host: String.raw`a"\b:1`,
      httpVersion: "2",
      platform: [],
    };
    const request = { ...ctx, header: () => undefined, requestHeaders: () => [] } as unknown as Context;
    assert.deepEqual(requestLines(request, "upstream", {}, false), [
      ["Host", "upstream"],
      ["Forwarded", String.raw`for="[2001:db8::7]";host="a\"\\b:1";proto=https`],
      ["X-Forwarded-For", "2001:db8::7"],
      ["X-Forwarded-Proto", "https"],
      ["X-Forwarded-Host", String.raw`a"\b:1`],
      ["Via", "2 framework"],
    ]);
  });
});
