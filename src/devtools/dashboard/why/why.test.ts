/**
 * whySlice: the explanation of the selected run.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf } from "../../run/traces.testkit.ts";
import { applicationSlice } from "../store/application.ts";
import { selectionSlice } from "../store/selection.ts";
import { runOf, settled, stage } from "../testing/stage.ts";
import { whySlice } from "./why.ts";

const error = { name: "RangeError", message: "no stock" };
const failed = (sequence: number) =>
  runOf(sequence, { status: 500, error, calls: [callOf(0, null, "Web", { error })] });

describe("whySlice", () => {
  test("explains the selected run, compared with one that worked, and asks once", async () => {
    const { use } = await stage({ traces: [failed(2), runOf(1)] });
    const { explained, failure, follow } = use(whySlice);
    const { selectTrace } = use(selectionSlice);
    const { traces, online } = use(applicationSlice);
    const stop = follow();
    await settled();
    assert.equal(explained.peek(), null);
    const [bad, good] = traces.value;
    assert.ok(bad && good);
    selectTrace(bad);
    await settled();
    const first = explained.value;
    assert.deepEqual([first?.run, first?.good, first?.why.rows[0]?.kind], [bad, good, "error"]);
    selectTrace(good);
    await settled();
    assert.equal(explained.value?.run, good);
    selectTrace(bad);
    online.value = false;
    await settled();
    assert.equal(explained.value, first);
    assert.equal(failure.value, null);
    stop();
  });

  test("says why a run is not explained, and explains it when the application is back", async () => {
    const down = { now: false };
    const { use } = await stage({ traces: [failed(1)], down });
    const { explained, failure, follow } = use(whySlice);
    const { online, traces } = use(applicationSlice);
    const [run] = traces.value;
    assert.ok(run);
    down.now = true;
    online.value = false;
    use(selectionSlice).selectTrace(run);
    const stop = follow();
    await settled();
    assert.deepEqual([failure.value, explained.value], ["Failed to fetch", null]);
    down.now = false;
    online.value = true;
    await settled();
    assert.deepEqual([failure.value, explained.value?.run], [null, run]);
    stop();
  });

  test("compares a failed run with those at the same time alone, so that live traffic asks for nothing", async () => {
    const calls = (ms: number) =>
      ["find", "save"].map((method, at) =>
        callOf(at, null, "Stock", { method, args: ["p-7"], startUs: at * ms * 1_000, durationUs: 100 }),
      );
    const more = { startedAt: 1_000, durationUs: 50_000 };
    const { use, arrive, frame } = await stage({
      traces: [
        runOf(2, { ...more, status: 409, error, calls: calls(40) }),
        runOf(1, { ...more, route: "/other", calls: calls(20) }),
      ],
    });
    const { explained, follow } = use(whySlice);
    const [run] = use(applicationSlice).traces.value;
    assert.ok(run);
    use(selectionSlice).selectTrace(run);
    const stop = follow();
    await settled();
    const first = explained.value;
    assert.equal(first?.why.rows.filter(({ kind }) => kind === "interleaved").length, 1);
    arrive(runOf(3, { startedAt: 9_000 }));
    frame();
    await settled();
    assert.equal(explained.value, first);
    stop();
  });
});
