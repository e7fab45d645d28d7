/**
 * Storage: what the page remembers, and that nothing breaks if a browser denies it.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStorage } from "../testing/fake-page.ts";
import { recall, remember, remembered } from "./storage.ts";

const isNumber = (value: unknown): value is number => typeof value === "number";
const denied = (): Storage => {
  throw new DOMException("denied", "SecurityError");
};

describe("recall", () => {
  test("reads a stored value", () => {
    const storage = memoryStorage();
    remember(() => storage, "size", 7);
    assert.equal(
      recall(() => storage, "size", 1, isNumber),
      7,
    );
  });

  for (const [what, text] of [
    ["nothing", undefined],
    ["another kind of value", '"7"'],
    ["no JSON", "{"],
  ] as const) {
    test(`falls back when ${what} is stored`, () => {
      const storage = memoryStorage(text === undefined ? {} : { size: text });
      assert.equal(
        recall(() => storage, "size", 1, isNumber),
        1,
      );
    });
  }

  test("falls back when the browser denies storage", () => assert.equal(recall(denied, "size", 1, isNumber), 1));
});

describe("remember", () => {
  test("continues when the browser denies storage", () => assert.doesNotThrow(() => remember(denied, "size", 1)));

  test("continues when the storage is full", () => {
    const full = {
      ...memoryStorage(),
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    };
    assert.doesNotThrow(() => remember(() => full, "size", 1));
  });
});

describe("remembered", () => {
  test("begins with the stored value, and stores each change", () => {
    const storage = memoryStorage({ size: "7" });
    const size = remembered(() => storage, "size", 1, isNumber);
    const seen = [size.value];
    size.value = 8;
    seen.push(recall(() => storage, "size", 1, isNumber));
    size.value = 7;
    assert.deepEqual([...seen, storage.getItem("size")], [7, 8, "7"]);
  });

  test("stores nothing before it is changed", () => {
    const storage = memoryStorage();
    assert.equal(remembered(() => storage, "size", 1, isNumber).value, 1);
    assert.equal(storage.getItem("size"), null);
  });
});
