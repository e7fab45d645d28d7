import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkedSecrets } from "./secrets.ts";

describe("checkedSecrets", () => {
  const [one, two] = ["a".repeat(32), "b".repeat(40)];
  test("is a list, the current one first", () => {
    assert.deepEqual([checkedSecrets("X", one), checkedSecrets("X", [two, one])], [[one], [two, one]]);
  });

  test("describes a valid secret, and never shows the secret", () => {
    const wrong: readonly (readonly [secrets: unknown, given: string])[] = [
      ["hunter2", "of 7 characters"],
      [[one, "b".repeat(31)], "of 31 characters"],
      [[one, null], "null"],
      [[], "undefined"],
      [new Uint8Array(32), "object"],
    ];
    for (const [secrets, given] of wrong)
      assert.throws(() => checkedSecrets("X", secrets), {
        code: "CONFIG_INVALID",
        message: `X: a secret is ${given}: text of 32 characters or more is allowed, such as openssl rand -hex 32 prints`,
      });
  });
});
