/** How late the event loop is. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { LoopDelay } from "./loop-delay.ts";

/** Blocks the loop again and again, until the delay shows it. */
async function untilLate(delay: LoopDelay): Promise<void> {
  for (let left = 100; (delay.p99Us() ?? 0) < 30_000; left -= 1) {
    assert.ok(left > 0, "the delay shows that the loop was blocked");
    for (const end = performance.now() + 60; performance.now() < end;);
    await wait(15);
  }
}

describe("LoopDelay", () => {
  it("is as long as the loop stood still, and not known before the start and after the end", async (t) => {
    const delay = new LoopDelay();
    t.after(() => delay.stop());
    assert.equal(delay.p99Us(), undefined);
    delay.start();
    delay.start();
    await untilLate(delay);
    delay.stop();
    assert.equal(delay.p99Us(), undefined);
  });

  it("forgets what was more than a minute ago", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const delay = new LoopDelay();
    t.after(() => delay.stop());
    delay.start();
    await untilLate(delay);
    t.mock.timers.tick(30_000);
    assert.ok((delay.p99Us() ?? 0) >= 30_000);
    t.mock.timers.tick(30_000);
    assert.equal(delay.p99Us(), undefined);
  });
});
