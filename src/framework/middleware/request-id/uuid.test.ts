import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { uuid } from "./uuid.ts";

/** Several times the pool. */
const many = Array.from({ length: 2_000 }, uuid);

describe("uuid", () => {
  test("writes version 4 of RFC 9562, in lower case", () => {
    const wrong = many.filter(
      (id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
    );
    assert.deepEqual(wrong, []);
  });

  test("never returns the same one twice, also after the pool is used up", () => {
    assert.equal(new Set(many).size, many.length);
    assert.ok(!many.includes("00000000-0000-4000-8000-000000000000"), "the pool is filled before its first use");
  });

  test("all 122 random bits vary", () => {
    const bits = many.map((id) => BigInt(`0x${id.replaceAll("-", "")}`));
    const always = bits.reduce((all, one) => all & one);
    const ever = bits.reduce((all, one) => all | one);
    assert.deepEqual(
      [always.toString(16), ever.toString(16)],
      [((0x4n << 76n) | (0x8n << 60n)).toString(16), `ffffffffffff4fffbfffffffffffffff`],
    );
  });
});
