/**
 * Storage: what the page remembers, and that nothing breaks where a browser denies it.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryStorage } from "../testing/fake-page.ts";
import { recall, remember } from "./storage.ts";

const isNumber = (value: unknown): value is number => typeof value === "number";
const denied = (): Storage => {
  throw new DOMException("denied", "SecurityError");
};

describe("recall", () => {
  test("reads what was remembered", () => {
    const storage = memoryStorage();
    assert.equal(
      remember(() => storage, "size", 7),
      true,
    );
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
  test("says false when the browser denies storage", () => assert.equal(remember(denied, "size", 1), false));

  test("says false when the storage is full", () => {
    const full = {
      ...memoryStorage(),
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    };
    assert.equal(
      remember(() => full, "size", 1),
      false,
    );
  });
});
