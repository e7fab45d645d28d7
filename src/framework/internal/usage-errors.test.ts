import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shown, stateError, usageError } from "./usage-errors.ts";

describe("shown", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const values: readonly (readonly [value: unknown, text: string])[] = [
    ...([
      ["a", '"a"'],
      ["", '""'],
      [7, "7"],
      [Number.NaN, "NaN"],
      [Infinity, "Infinity"],
      [true, "true"],
    ] as const),
    ...([
      [undefined, "undefined"],
      [null, "null"],
      [7n, "7"],
      [Symbol("s"), "Symbol(s)"],
    ] as const),
    ...([
      [[1, "b"], '[1,"b"]'],
      [{ a: 1 }, '{"a":1}'],
      [() => 7, "a function"],
    ] as const),
    ...([
      [cyclic, "an object"],
      [[7n], "an object"],
    ] as const),
  ];
  for (const [value, text] of values) test(`writes ${text}`, () => assert.equal(shown(value), text));
});

describe("usageError and stateError", () => {
  test("carry code and sentence, the one a TypeError, the other with an optional cause", () => {
    const usage = usageError("CONFIG_INVALID", "port is 7");
    assert.ok(usage instanceof TypeError);
    assert.deepEqual([usage.message, Reflect.get(usage, "code")], ["port is 7", "CONFIG_INVALID"]);
    const [plain, caused] = [stateError("APP_STOPPED", "it stopped"), stateError("PLUGIN_FAILED", "it failed", null)];
    assert.deepEqual([plain.name, plain.message, Reflect.get(plain, "code")], ["Error", "it stopped", "APP_STOPPED"]);
    assert.deepEqual(["cause" in plain, "cause" in caused, caused.cause], [false, true, null]);
  });
});
