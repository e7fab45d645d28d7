/** Heads on HTTP/2: what an application's header names become. */
import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { responseHead } from "./http2-head.ts";

describe("responseHead", () => {
  it("puts every name in lower case, however many an application makes up, the second time too", () => {
    const names = Array.from({ length: 600 }, (_, n) => `X-Name-${n}`);
    for (let time = 0; time < 2; time += 1)
      deepEqual(
        Object.keys(
          responseHead(
            200,
            names.flatMap((name) => [name, "x"]),
          ),
        ),
        [":status", ...names.map((name) => name.toLowerCase())],
      );
  });

  it("joins repeated fields, keeps cookies apart, and drops what belongs to a connection", () => {
    const flat = ["Vary", "a", "VARY", "b", "Set-Cookie", "a=1", "set-cookie", "b=2", "Connection", "close", "TE", "x"];
    deepEqual(responseHead(204, flat), { ":status": 204, vary: "a, b", "set-cookie": ["a=1", "b=2"] });
  });
});
