import { deepEqual, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { settingsOf } from "./settings.ts";

describe("settingsOf, of a stress run", () => {
  it("has the usual amount and duration", () => {
    const { amount, seconds, seed } = settingsOf({ SEED: "7" });
    deepEqual([amount(100, 10), seconds(60, 6), seed], [100, 60, 7]);
  });

  it("is short with FAST=1, and explicit numbers take precedence", () => {
    const { amount, seconds } = settingsOf({ FAST: "1", N: "3" });
    deepEqual([amount(100, 10), seconds(60, 6)], [3, 6]);
  });

  it("chooses engines, and with them the wires", () => {
    const { engines, wires } = settingsOf({ ENGINES: "tls, h2c" });
    deepEqual([engines, wires.length], [["h2c", "tls"], 4]);
    deepEqual(settingsOf({}).wires.length, 7);
  });

  const rejected = {
    'FAST is "2": 1 or nothing': { FAST: "2" },
    'N is "-1"; a whole number from 1 is allowed': { N: "-1" },
    'SECONDS is "1.5"; a whole number from 1 is allowed': { SECONDS: "1.5" },
    'SEED is "x"; a whole number from 1 is allowed': { SEED: "x" },
    "ENGINES names h3; there are http1, h2c, tls, listener, fetch, bun, deno": { ENGINES: "tls h3" },
  };
  for (const [message, env] of Object.entries(rejected))
    it(`rejects: ${message}`, () => {
      throws(() => settingsOf(env), { message });
    });
});
