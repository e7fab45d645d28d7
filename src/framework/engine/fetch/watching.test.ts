/** Watching is delayed and never forgotten (ENGINE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../testing/harness.testkit.ts";
import { watchSoon, type Pending } from "./watching.ts";

class Waiting implements Pending {
  watchedAfter: number | undefined;
  readonly #from = performance.now();
  watch(): void {
    this.watchedAfter = performance.now() - this.#from;
  }
}

describe("watchSoon", () => {
  /** Timers of the test runner. */
  let atFirst = 0;

  test("watches a pending client after a while, once, and no settled one", async () => {
    const last = new Waiting(); // After it the timer rests, also for other pending requests of this process.
    watchSoon(last);
    await until(() => last.watchedAfter !== undefined);
    atFirst = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const [early, settled] = [new Waiting(), new Waiting()];
    watchSoon(early);
    watchSoon(settled).pending = undefined;
    const late = new Waiting();
    setTimeout(() => watchSoon(late), 1);
    assert.equal(early.watchedAfter, undefined);
    await until(() => late.watchedAfter !== undefined);
    assert.ok((early.watchedAfter ?? 0) >= 48, `${early.watchedAfter} ms`);
    assert.equal(settled.watchedAfter, undefined);
  });

  test("has no timer when nothing is pending, and begins again", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    await until(() => timers() <= atFirst);
    const again = new Waiting();
    watchSoon(again);
    await until(() => again.watchedAfter !== undefined);
    await until(() => timers() <= atFirst);
  });
});
