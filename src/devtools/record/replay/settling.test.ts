/**
 * Settling: the order in which the promises of a replay settle, in any order of their creation.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { handled, Settling } from "./settling.ts";

describe("Settling", () => {
  it("settles in the recorded order, one in each turn", async () => {
    const settling = new Settling();
    const order: unknown[] = [];
    const wait = async (endUs: number, name: string): Promise<void> => {
      order.push(await settling.promise(endUs, () => name));
    };
    const inner: Promise<void>[] = [];
    const first = wait(10, "first").then(() => void inner.push(wait(15, "made later")));
    await Promise.all([wait(30, "last"), first, wait(20, "same a"), wait(20, "same b")]);
    await Promise.all(inner);
    assert.deepEqual(order, ["first", "made later", "same a", "same b", "last"]);
  });

  it("settles none in the turn of its request, and continues after all were settled", async () => {
    const settling = new Settling();
    for (const round of [1, 2]) {
      let isSettled = false;
      const promise = settling.promise(1, () => round).then((value) => ((isSettled = true), value));
      await Promise.resolve();
      assert.equal(isSettled, false);
      assert.equal(await promise, round);
    }
  });

  it("requests the outcome in its turn, once", async () => {
    const settling = new Settling();
    const asked: string[] = [];
    const promises = ["a", "b"].map((name, at) => settling.promise(at, () => asked.push(name)));
    assert.deepEqual(asked, []);
    assert.deepEqual(await Promise.all(promises), [1, 2]);
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    assert.deepEqual(asked, ["a", "b"]);
  });

  it("rejects with the thrown error", async () => {
    const error = new RangeError("no");
    const promise = new Settling().promise(1, () => {
      throw error;
    });
    await assert.rejects(promise, (caught) => caught === error);
  });
});

describe("handled", () => {
  it("is the promise itself", async () => {
    const promise = Promise.resolve(1);
    assert.equal(handled(promise), promise);
  });
});
