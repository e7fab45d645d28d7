import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Activity, type Executing } from "./activity.ts";

describe("Activity", () => {
  it("knows what was executed at any time: what was entered, and what goes on after an await", async () => {
    const place = new AsyncLocalStorage<number>();
    const activity = new Activity(() => place.getStore());
    const seen: [number, number | undefined][] = [];
    const look = (): void => void seen.push([performance.now(), place.getStore()]);
    activity.enter(null);
    const [none] = [performance.now()];
    const work = [1, 2].map((id) =>
      place.run(id, async () => {
        for (let at = 0; at < 3; at += 1) {
          await setTimeout(2);
          look();
        }
      }),
    );
    activity.leave();
    const between = performance.now();
    await Promise.all(work);
    activity.stop();
    const at = (ms: number): Executing => activity.at(ms).executing;
    assert.deepEqual([at(none), at(between), at(0)], [null, undefined, undefined]);
    assert.deepEqual(
      seen.map(([ms]) => at(ms)),
      seen.map(([, id]) => id),
    );
    assert.deepEqual(activity.at(performance.now()), { executing: undefined, untilMs: Infinity });
    const { untilMs } = activity.at(none);
    assert.ok(untilMs > none && untilMs <= between);
  });

  it("forgets code that an uncaught exception has ended", () => {
    const activity = new Activity(() => undefined);
    activity.enter(7);
    (process as EventEmitter).emit("uncaughtExceptionMonitor", new Error("x"), "uncaughtException");
    assert.equal(activity.at(performance.now()).executing, undefined);
    activity.enter(8);
    activity.leave();
    assert.equal(activity.at(performance.now()).executing, undefined);
    activity.stop();
  });
});
