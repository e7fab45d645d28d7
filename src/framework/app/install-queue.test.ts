/** The order in which plugins are installed, and what becomes of one that fails (PLUGIN). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstallQueue } from "./install-queue.ts";

/** A promise, and what settles it. */
function gate(): { readonly opened: Promise<void>; open(): void; fail(error: Error): void } {
  let open = (): void => undefined;
  let fail: (error: Error) => void = () => undefined;
  const opened = new Promise<void>((resolve, reject) => ((open = resolve), (fail = reject)));
  return { opened, open: () => open(), fail: (error) => fail(error) };
}

describe("InstallQueue", () => {
  test("installs at once where nothing is under way, and what that throws is the caller's", () => {
    const queue = new InstallQueue();
    let installed = 0;
    queue.add(() => void (installed += 1));
    const error = new Error("no");
    const failing = (): void => {
      throw error;
    };
    assert.throws(() => queue.add(failing), error);
    assert.deepEqual([installed, queue.isIdle, queue.settled()], [1, true, undefined]);
  });

  test("installs behind what is under way, and waits for what is added meanwhile", async () => {
    const queue = new InstallQueue();
    const [first, last] = [gate(), gate()];
    const order: string[] = [];
    queue.add(() => first.opened.then(() => void order.push("first")));
    queue.add(() => void order.push("second"));
    assert.deepEqual([order, queue.isIdle], [[], false]);
    const settled = queue.settled()?.then(() => void order.push("settled"));
    queue.add(() => last.opened.then(() => void order.push("last")));
    first.open();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order, ["first", "second"]);
    last.open();
    await settled;
    assert.deepEqual([order, queue.isIdle, queue.settled()], [["first", "second", "last", "settled"], true, undefined]);
  });

  test("installs none that waits behind one that fails, and tells of it as often as it is asked", async () => {
    const queue = new InstallQueue();
    const first = gate();
    let installed = 0;
    queue.add(() => first.opened);
    queue.add(() => void (installed += 1));
    const error = new Error("no");
    first.fail(error);
    await assert.rejects(async () => queue.settled(), error);
    await assert.rejects(async () => queue.settled(), error);
    queue.add(() => void (installed += 1));
    await assert.rejects(async () => queue.settled(), error);
    assert.deepEqual([installed, queue.isIdle], [0, false]);
  });
});
