import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeError, Faults } from "./faults.ts";

describe("Faults", () => {
  test("counts every fault and logs only the first", () => {
    const lines: string[] = [];
    const faults = new Faults("the thing");
    faults.tell({ warn: (line) => void lines.push(line) });
    faults.note(new Error("broken"));
    faults.note(new Error("broken again"));
    assert.deepEqual([faults.count, lines], [2, ["the thing failed: broken (further faults are only counted)"]]);
  });

  test("counts a promise that rejects, without an unhandled rejection", async () => {
    const faults = new Faults("the thing");
    faults.watch(Promise.reject(new Error("late")));
    faults.watch(Promise.resolve("fine"));
    faults.watch("no promise");
    await new Promise((done) => setImmediate(done));
    assert.equal(faults.count, 1);
  });

  test("survives a throwing logger", () => {
    const faults = new Faults("the thing");
    faults.tell({
      warn: () => {
        throw new Error("no log");
      },
    });
    faults.note("reason");
    assert.equal(faults.count, 1);
  });
});

describe("Faults.isTrue", () => {
  const checks: Readonly<Record<string, readonly [result: unknown, isTrue: boolean]>> = {
    true: [true, true],
    false: [false, false],
    "a truthy text": ["yes", false],
    "a promise of true": [Promise.resolve(true), false],
  };
  for (const [what, [result, isTrue]] of Object.entries(checks))
    test(`is ${isTrue} for a check that returns ${what}, and counts nothing`, () => {
      const faults = new Faults("the check");
      assert.deepEqual(
        [faults.isTrue((argument) => (argument === 7 ? result : "another argument"), 7), faults.count],
        [isTrue, 0],
      );
    });

  test("is false for a check that throws, or whose promise rejects, and counts both", async () => {
    const faults = new Faults("the check");
    const thrown = faults.isTrue(() => {
      throw new Error("no");
    }, undefined);
    const rejected = faults.isTrue(async () => Promise.reject(new Error("late")), undefined);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual([thrown, rejected, faults.count], [false, false, 2]);
  });
});

describe("describeError", () => {
  const hostile = {
    toString(): string {
      throw new Error("no");
    },
  };
  for (const [name, [thrown, text]] of Object.entries({
    "an error": [new Error("sad"), "sad"],
    "an error without a message": [new TypeError(), "TypeError"],
    "a string": ["sad", "sad"],
    null: [null, "null"],
    "an object that cannot be printed": [hostile, "an error that cannot be described"],
    "a message of 500 characters": [new Error("x".repeat(500)), "x".repeat(500)],
    "a long message": [new Error("x".repeat(600)), `${"x".repeat(500)}...`],
  })) {
    test(`describes ${name}`, () => assert.equal(describeError(thrown), text));
  }
});
