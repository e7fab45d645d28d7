/**
 * inFlightSlice: the runs in progress, and how the page learns that they have ended.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Started } from "../../run/shapes.ts";
import { applicationSlice } from "../store/application.ts";
import { runOf, stage } from "../testing/stage.ts";
import { inFlightSlice } from "./in-flight.ts";

const started = (run: number, more: Partial<Started> = {}): string =>
  JSON.stringify({
    instance: "i1",
    run,
    kind: "request",
    correlationId: null,
    method: "GET",
    path: `/x/${run}`,
    route: null,
    startedAt: 1,
    elapsedUs: 1e5,
    calls: 2,
    pending: [],
    ...more,
  } satisfies Started);

describe("inFlightSlice", () => {
  test("DASH-052: lists reported runs, the newest first, with their clock continuing from the server's", async () => {
    const { use, stream, pass } = await stage();
    const { underWay } = use(inFlightSlice);
    stream.started(started(1));
    stream.started(started(2, { elapsedUs: 5_000 }));
    stream.started("{");
    pass(400);
    assert.deepEqual(
      underWay.value.map(({ key, elapsedUs }) => [key, elapsedUs]),
      [
        ["i1.2", 405_000],
        ["i1.1", 500_000],
      ],
    );
  });

  test("DASH-052: forgets a run when its trace has come", async () => {
    const { use, stream, arrive, frame } = await stage();
    const { underWay } = use(inFlightSlice);
    stream.started(started(7));
    arrive(runOf(1, { run: 8 }));
    frame();
    assert.equal(underWay.value.length, 1);
    arrive(runOf(2, { run: 7 }));
    frame();
    assert.deepEqual(underWay.value, []);
  });

  test("DASH-052: forgets runs that are not reported again, and everything when the stream is lost", async () => {
    const { use, stream, pass } = await stage();
    const { underWay } = use(inFlightSlice);
    stream.started(started(1));
    pass(2_000);
    stream.started(started(2));
    pass(2_000);
    assert.deepEqual(
      underWay.value.map(({ key }) => key),
      ["i1.2"],
    );
    use(applicationSlice).online.value = false;
    pass(200);
    assert.deepEqual(underWay.value, []);
  });
});
