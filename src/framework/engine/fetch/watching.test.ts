/** Watching is put off, and never forgotten (ENGINE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../testing/harness.test.ts";
import { watchSoon, type Pending } from "./watching.ts";

class Waiting implements Pending {
  watchedAfter: number | undefined;
  readonly #from = performance.now();
  watch(): void {
    this.watchedAfter = performance.now() - this.#from;
  }
}

describe("watchSoon", () => {
  test("ENGINE-019: watches who is pending for a while, once, and nobody who has settled", async () => {
    const [early, settled] = [new Waiting(), new Waiting()];
    watchSoon(early);
    watchSoon(settled).pending = undefined;
    const late = new Waiting();
    setTimeout(() => watchSoon(late), 1);
    assert.equal(early.watchedAfter, undefined);
    await until(() => late.watchedAfter !== undefined);
    assert.ok((early.watchedAfter ?? 0) >= 24, `${early.watchedAfter} ms`);
    assert.equal(settled.watchedAfter, undefined);
  });

  test("ENGINE-019: begins again when nobody was pending for a while", async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    const again = new Waiting();
    watchSoon(again);
    await until(() => again.watchedAfter !== undefined);
  });
});
