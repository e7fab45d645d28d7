/** Unit tests of lost-in-json.ts: values that JSON writes as `{}`, and their places (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lostIn, lostSentence } from "./lost-in-json.ts";

/** The message for a lost value. Undefined without one. */
const said = (value: unknown, path?: string): string | undefined => {
  const lost = lostIn(value, path);
  return lost === undefined ? undefined : lostSentence(lost);
};
const later = Promise.resolve(1);

describe("lostIn", () => {
  const remedies: Readonly<Record<string, readonly [value: object, remedy: string]>> = {
    "a Promise": [later, "await it"],
    "a Map": [new Map(), "Object.fromEntries(it)"],
    "a Set": [new Set(), "[...it]"],
    "a Headers": [new Headers(), "Object.fromEntries(it)"],
    "a FormData": [new FormData(), "Object.fromEntries(it)"],
    "an URLSearchParams": [new URLSearchParams("a=b"), "Object.fromEntries(it)"],
    "an ArrayBuffer": [new ArrayBuffer(2), "send bytes as a response of their own, or as base64"],
    "a Blob": [new Blob(["a"]), "send bytes as a response of their own, or as base64"],
    "an Error": [new TypeError("t"), "its message"],
    "a Generator": [(function* () {})(), "[...it]"],
  };
  for (const [what, [value, remedy]] of Object.entries(remedies))
    test(`finds ${what}`, () => {
      assert.equal(JSON.stringify(value), "{}");
      assert.equal(said({ a: [value] }), `${what} at a[0], which JSON writes as {}: ${remedy}`);
    });

  test("finds the first one, by its path", () => {
    const value = { a: { toJSON: () => ({}), later }, "b-c": [1, { d_1: [{}, new Set()] }], e: later };
    assert.equal(said(value), 'a Set at ["b-c"][1].d_1[1], which JSON writes as {}: [...it]');
    assert.equal(said(later), "a Promise, which JSON writes as {}: await it");
    assert.equal(said([later], "list"), "a Promise at list[0], which JSON writes as {}: await it");
  });

  test("finds nothing in values that JSON writes completely", () => {
    const named = Object.assign(new Error("e"), { code: "E" });
    const own = Object.assign(new Map(), { toJSON: () => ({}) });
    for (const value of [
      {},
      [{}],
      Object.create({ tag: 1 }),
      new Date(),
      { a: named },
      own,
      new Uint8Array(2),
      null,
      "{}",
      () => 1,
    ])
      assert.equal(said(value), undefined);
  });

  test("finds nothing and does not throw for a throwing getter, a revoked proxy, or an endless value", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const endless = (): object => ({
      get next(): unknown {
        return endless();
      },
    });
    const throwing = Object.defineProperty({}, "a", { get: () => assert.fail("looked at"), enumerable: true });
    for (const value of [{ proxy }, endless(), throwing]) assert.equal(said(value), undefined);
  });

  test("inspects no more than 10,000 values", () => {
    const items: unknown[] = Array.from({ length: 10_000 }, () => ({}));
    assert.equal(said([...items, later]), undefined);
    assert.equal(said([...items.slice(2), later])?.startsWith("a Promise at [9998]"), true);
  });
});
