/** The moment of a run, and the shown part of its time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runOf, stage } from "../testing/stage.ts";
import { selectionSlice } from "./selection.ts";
import { PLAY_MS, timeSlice } from "./time.ts";

/** A stage with two runs, of which the first is selected. */
async function selected() {
  const { use } = await stage({ traces: [runOf(1, { durationUs: 1_000 }), runOf(2, { durationUs: 500 })] });
  const [selection, time] = [use(selectionSlice), use(timeSlice)];
  selection.selectTrace(runOf(1));
  return { selection, time };
}

describe("timeSlice", () => {
  it("shows the whole run until another moment or part is chosen, and for another run again", async () => {
    const { selection, time } = await selected();
    assert.deepEqual([time.at.value, time.shown.value], [null, { fromUs: 0, toUs: 1_000 }]);
    time.seek(400);
    time.show({ fromUs: 100, toUs: 200 });
    assert.deepEqual([time.at.value, time.shown.value], [400, { fromUs: 100, toUs: 200 }]);
    selection.selectTrace(runOf(2));
    assert.deepEqual([time.at.value, time.shown.value], [null, { fromUs: 0, toUs: 500 }]);
    selection.selectTrace(runOf(1));
    assert.equal(time.at.value, null, "a selected run is shown as a whole, also if it was selected before");
  });

  it("keeps the moment within the run", async () => {
    const { time } = await selected();
    time.seek(-5);
    assert.equal(time.at.value, 0);
    time.seek(9_999);
    assert.equal(time.at.value, 1_000);
    time.show(null);
    assert.equal(time.shown.value.toUs, 1_000);
  });

  it("plays in proportion to the run's time, shows the whole run at the end, and stops at another moment", async () => {
    const { time } = await selected();
    time.play(false);
    assert.deepEqual([time.playing.value, time.at.value], [true, 0]);
    time.advance(PLAY_MS / 4);
    assert.equal(time.at.value, 250);
    time.seek(300);
    assert.deepEqual([time.playing.value, time.at.value], [false, 300]);
    time.play(false);
    assert.equal(time.at.value, 300);
    time.advance(PLAY_MS);
    assert.deepEqual([time.playing.value, time.at.value], [false, null]);
  });

  it("is the start of the call of a step, counts the calls that had begun, and leaves the step for another moment", async () => {
    const { selection, time } = await selected();
    assert.equal(time.begun.value, null);
    selection.moveStep(-1);
    assert.deepEqual([time.at.value, time.begun.value], [0, 1]);
    time.seek(10);
    assert.deepEqual([selection.step.value, time.at.value, time.begun.value], [null, 10, 2]);
    time.seek(9);
    assert.equal(time.begun.value, 1);
  });

  it("jumps to the end without motion, and a replay begins at the start", async () => {
    const { selection, time } = await selected();
    time.seek(200);
    time.play(true);
    assert.deepEqual([time.playing.value, time.at.value], [false, null]);
    const before = selection.replays.value;
    time.replay(false);
    assert.deepEqual([time.at.value, selection.replays.value], [0, before + 1]);
  });
});
