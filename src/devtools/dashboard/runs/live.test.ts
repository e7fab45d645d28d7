/**
 * liveSlice: how runs come in, which are missed, and what happens when the stream or the application stops.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { applicationSlice } from "../store/application.ts";
import { selectionSlice } from "../store/selection.ts";
import { graphOf } from "../../run/traces.testkit.ts";
import { runOf, settled, stage, stageRoutes, type Stage } from "../testing/stage.ts";
import { keptSlice } from "./kept.ts";
import { liveSlice } from "./live.ts";

const sequences = ({ use }: Stage): number[] => use(applicationSlice).traces.value.map((t) => t.sequence);

describe("the stream", () => {
  test("is taken in once a frame, newest first, not while paused, 200 waiting at most", async () => {
    const page = await stage();
    const { paused, waiting, setPaused } = page.use(liveSlice);
    page.arrive(runOf(1));
    page.arrive(runOf(2));
    assert.deepEqual(sequences(page), []);
    page.frame();
    assert.deepEqual(sequences(page), [2, 1]);
    setPaused(true);
    for (let i = 3; i < 303; i++) page.arrive(runOf(i));
    page.frame();
    assert.deepEqual([paused.value, sequences(page).length, waiting.value], [true, 2, 200]);
    setPaused(false);
    assert.deepEqual([sequences(page).length, sequences(page)[0], waiting.value], [100, 302, 0]);
  });

  test("leaves out what is not a trace", async () => {
    const page = await stage();
    page.stream.trace("{");
    page.frame();
    assert.deepEqual(sequences(page), []);
  });
});

describe("a change", () => {
  const found = graphOf({ Web: ["Service"], Service: ["Repo"], Repo: ["Other"], Other: [] });

  test("of graph and routes is shown, below the selected run and bean", async () => {
    const props = { graph: graphOf({ Web: ["Service"], Service: ["Repo"], Repo: [], Other: [] }), routes: stageRoutes };
    const { use, stream, listed } = await stage(Object.assign(props, { traces: [runOf(1)] }));
    const { selectTrace, selectBean, reach, path, bean, traceId, route } = use(selectionSlice);
    selectTrace(runOf(1));
    selectBean("Repo");
    const before = listed();
    props.graph = found;
    props.routes = stageRoutes.map((one) => ({ ...one, beans: [...one.beans, "Other"] }));
    stream.changed();
    await settled();
    assert.deepEqual(
      [[...(reach.value ?? [])].toSorted(), path.value?.steps.length, bean.value, traceId.value, route.value?.beans],
      [["Other", "Repo", "Service", "Web"], 2, "Repo", "i1.1", ["Web", "Other"]],
    );
    assert.equal(listed(), before);
  });

  test("redraws nothing if graph and routes are unchanged", async () => {
    const props = { graph: graphOf({ Web: [] }), routes: stageRoutes };
    const { use, stream } = await stage(props);
    const { live, routes } = use(applicationSlice);
    const before = [live.value, routes.value];
    props.graph = graphOf({ Web: [] });
    for (const tell of [stream.changed, () => stream.online(true)]) {
      tell();
      await settled();
    }
    assert.deepEqual([live.value === before[0], routes.value === before[1]], [true, true]);
  });
});

describe("a gap", () => {
  test("counts the runs that were dropped while the page was not listening", async () => {
    const { use, kept, stream } = await stage({ traces: [runOf(1)] });
    const { missed, clear } = use(keptSlice);
    kept.push(runOf(40), runOf(41));
    kept.shift();
    stream.gap();
    await settled();
    assert.equal(missed.value, 38);
    stream.gap();
    await settled();
    assert.equal(missed.value, 38);
    clear();
    assert.equal(missed.value, 0);
  });

  test("counts the runs of a new process that were over before the page listened again", async () => {
    const { use, kept, stream } = await stage({ traces: [runOf(1)] });
    kept.splice(0, 1, runOf(31, { instance: "i2" }), runOf(32, { instance: "i2" }));
    stream.gap();
    await settled();
    assert.equal(use(keptSlice).missed.value, 30);
  });

  test("asks once for gaps during a delay, and once more for those during a request", async () => {
    const { stream, listed } = await stage();
    const before = listed();
    for (let gap = 0; gap < 5; gap += 1) stream.gap();
    await Promise.resolve();
    assert.equal(listed() - before, 1);
    for (let gap = 0; gap < 5; gap += 1) stream.gap();
    await settled();
    assert.equal(listed() - before, 2);
  });
});

describe("a lost stream", () => {
  test("reloads graph and routes when it is back, since it may be a new process", async () => {
    const { use, kept, stream } = await stage();
    const { online, traces } = use(applicationSlice);
    stream.online(true);
    stream.online(false);
    assert.equal(online.value, false);
    kept.push(runOf(1, { instance: "i2" }));
    stream.online(true);
    await settled();
    assert.deepEqual(
      [online.value, traces.value.map((t) => t.instance), use(keptSlice).missed.value],
      [true, ["i2"], 0],
    );
  });

  test("says that the application is down, keeps its data, and recovers", async () => {
    const down = { now: false };
    const { use, stream } = await stage({ traces: [runOf(1)], down });
    const { failure, traces } = use(applicationSlice);
    stream.online(true);
    down.now = true;
    stream.online(false);
    await settled();
    assert.deepEqual([failure.value, traces.value.length], ["Failed to fetch", 1]);
    down.now = false;
    stream.online(true);
    await settled();
    assert.equal(failure.value, null);
  });

  test("does not report the application as down when an earlier request fails after its return", async () => {
    let fail = (): void => undefined;
    const down = { now: false, after: new Promise<void>((resolve) => (fail = resolve)) };
    const { use, stream } = await stage({ down });
    stream.online(true);
    down.now = true;
    stream.online(false);
    down.now = false;
    stream.online(true);
    await settled();
    fail();
    await settled();
    assert.equal(use(applicationSlice).failure.value, null);
  });

  test("does not report the application as down when only the stream is lost", async () => {
    const { use, stream } = await stage();
    const { failure, online } = use(applicationSlice);
    stream.online(false);
    await settled();
    assert.deepEqual([failure.value, online.value], [null, false]);
  });
});
