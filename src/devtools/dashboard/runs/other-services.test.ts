/**
 * services: the selected run's parts in other services are requested and added to it.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServiceRun } from "../../run/shapes.ts";
import { applicationSlice } from "../store/application.ts";
import { behindKey, type RunBehind } from "../store/across-services.ts";
import { selectionSlice } from "../store/selection.ts";
import { callOf, graphOf, httpOf, traceOf } from "../../run/traces.testkit.ts";
import { runOf, settled, stage } from "../testing/stage.ts";
import { followServices } from "./other-services.ts";
import { NotHeld } from "./source.ts";

const run = { origin: "http://127.0.0.1:1", id: "i2.7" };
const calling = runOf(1, { leaves: [httpOf(0, 1, run)] });
const further: ServiceRun = { name: "two", graph: graphOf({ Far: [] }), trace: traceOf([callOf(0, null, "Far")]) };
const remote: ServiceRun = {
  name: "one",
  graph: graphOf({ Near: [] }),
  trace: traceOf([callOf(0, null, "Near")], { leaves: [httpOf(0, 0, { origin: "http://127.0.0.1:2", id: "i3.1" })] }),
};

async function follow(onRemote: (one: RunBehind) => ServiceRun, first = calling) {
  const asked: string[] = [];
  const page = await stage({
    traces: [first, runOf(2)],
    onRemote: (one) => {
      asked.push(behindKey(one));
      return onRemote(one);
    },
  });
  const stop = followServices(page.use);
  const { selectTrace, whole } = page.use(selectionSlice);
  const select = async (trace: typeof calling): Promise<void> => {
    selectTrace(trace);
    for (let i = 0; i < 6; i++) await settled();
  };
  const beans = (): (string | undefined)[] => whole.value?.calls.map(({ bean }) => bean) ?? [];
  return { page, asked, stop, select, beans };
}

describe("followServices", () => {
  test("requests runs of spans again when the server says that something has changed", async () => {
    const spans = { origin: "http://127.0.0.1:1", id: `${"a".repeat(32)}-${"b".repeat(16)}.1` };
    const first = runOf(1, { leaves: [httpOf(0, 1, spans), httpOf(1, 1, run)] });
    let hasArrived = false;
    const { page, asked, stop, select, beans } = await follow(({ id }) => {
      if (id === run.id) return further;
      if (!hasArrived) throw new NotHeld("no span has arrived");
      return { ...remote, trace: traceOf([callOf(0, null, "Near")]) };
    }, first);
    const until = async (isSo: () => boolean): Promise<void> => {
      for (let i = 0; i < 100 && !isSo(); i++) await settled();
    };
    await select(first);
    const { services } = page.use(applicationSlice);
    const key = `${spans.origin} ${spans.id}`;
    await until(() => services.value.has(key));
    assert.equal(services.value.get(key), "no span has arrived");
    const before = asked.length;
    hasArrived = true;
    page.stream.changed();
    await until(() => beans().length === 4);
    assert.deepEqual(beans(), ["Web", "one › Near", "Service", "two › Far"]);
    assert.deepEqual(new Set(asked.slice(before).map((one) => one.split(" ").at(-1))), new Set([spans.id]));
    stop();
  });

  test("requests once each run that the selected one led to, and those after it", async () => {
    const { page, asked, stop, select, beans } = await follow(({ origins }) =>
      origins.length === 1 ? remote : further,
    );
    await select(runOf(2));
    assert.deepEqual(asked, []);
    for (const one of [calling, runOf(2)]) page.use(selectionSlice).selectTrace(one);
    await select(calling);
    assert.deepEqual(asked, ["http://127.0.0.1:1 i2.7", "http://127.0.0.1:1 http://127.0.0.1:2 i3.1"]);
    assert.deepEqual(beans(), ["Web", "one › Near", "two › Far", "Service"]);
    await select(runOf(2));
    await select(calling);
    assert.equal(asked.length, 2);
    stop();
  });

  test("asks again for a run that is not held yet, some times", async () => {
    let times = 0;
    const { stop, select, beans } = await follow(() => {
      if (times++ < 3) throw new NotHeld("not yet");
      return further;
    });
    await select(calling);
    assert.deepEqual(beans(), ["Web", "two › Far", "Service"]);
    stop();
  });

  test("keeps the reason if it is not available, and the run unchanged", async () => {
    const { page, stop, select, beans } = await follow(() => {
      throw new Error("it has not responded");
    });
    await select(calling);
    assert.deepEqual(
      [...page.use(applicationSlice).services.value],
      [["http://127.0.0.1:1 i2.7", "it has not responded"]],
    );
    assert.deepEqual(beans(), ["Web", "Service"]);
    stop();
  });
});
