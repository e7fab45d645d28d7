/** The event loop, blocked on purpose while a run waits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LoopWatch } from "./loop-watch.ts";
import type { TimedStep } from "./phases.ts";

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe("LoopWatch", () => {
  const step = (kind: TimedStep["kind"], name: string, startedAt: number): TimedStep => ({
    kind,
    name,
    startedAt,
    endedAt: performance.now(),
  });

  it("finds the time in which the loop stood still while a response was sent or a body read, and in no other step", () => {
    const watch = new LoopWatch(() => false);
    const startedAt = performance.now();
    watch.begin();
    block(60);
    const steps = [
      step("sending", "response", startedAt),
      step("parsing", "read body", startedAt),
      step("handler", "show", startedAt),
    ];
    const stops = watch.with(steps).slice(3);
    assert.deepEqual(
      stops.map(({ kind, name }) => [kind, name]),
      [
        ["event-loop", "blocked"],
        ["event-loop", "blocked"],
      ],
    );
    // Due after 10 ms, seen after 60.
    const [{ startedAt: from, endedAt: to } = assert.fail("one at least")] = stops;
    assert.ok(from - startedAt >= 9 && to - from >= 45, `${from - startedAt} to ${to - startedAt} ms`);
  });

  it("finds nothing in a loop that runs, before a run has begun, or in a step that was over before", () => {
    const watch = new LoopWatch(() => false);
    const early = step("sending", "response", performance.now() - 5);
    block(30);
    assert.deepEqual(watch.with([early]), [early]);
    watch.begin();
    assert.deepEqual(watch.with([early]), [early]);
    block(30);
    assert.deepEqual(watch.with([early]), [early]);
  });

  it("ends with the last run, and begins again with the next", async () => {
    let isIdle = false;
    let asked = 0;
    const watch = new LoopWatch(() => (asked++, isIdle));
    watch.begin();
    const asksAgain = async (): Promise<void> => {
      const before = asked;
      const isSame = (): boolean => asked === before;
      while (isSame()) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await asksAgain();
    isIdle = true;
    await asksAgain();
    const last = asked;
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(asked, last);
    watch.begin();
    await asksAgain();
  });
});
