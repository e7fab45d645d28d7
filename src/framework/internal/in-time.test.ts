import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inTime } from "./in-time.ts";

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("inTime", () => {
  test("settles like the promise, and leaves no timer", async () => {
    const before = timers();
    assert.equal(await inTime(Promise.resolve(7), 60_000, "late"), 7);
    await assert.rejects(inTime(Promise.reject(new Error("down")), 60_000, "late"), { message: "down" });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(timers(), before);
  });

  test("accepts a thenable whose then returns nothing", async () => {
    const thenable = { then: (resolve: (value: number) => void) => resolve(7) } as unknown as PromiseLike<number>;
    assert.equal(await inTime(thenable, 60_000, "late"), 7);
  });

  test("rejects with the sentence when it takes longer", async () => {
    await assert.rejects(inTime(new Promise(() => undefined), 1, "it took longer than 1 ms"), {
      name: "Error",
      message: "it took longer than 1 ms",
    });
  });
});
