/**
 * runTime: the time behind edges, own time of beans, and what is on the critical path.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, graphOf, traceOf } from "../../run/traces.testkit.ts";
import { tracePath } from "../store/path.ts";
import { fillWidth, lineWidth, progressAt, runTime } from "./run-time.ts";

const trace = traceOf([
  callOf(0, null, "Web", { startUs: 10, durationUs: 80 }),
  callOf(1, 0, "Slow", { startUs: 20, durationUs: 60 }),
  callOf(2, 0, "Quick", { startUs: 20, durationUs: 10 }),
  callOf(3, 0, "Quick", { startUs: 25, durationUs: 15 }),
]);
const graph = graphOf({ Web: ["Slow", "Quick"], Slow: [], Quick: [] });
const times = runTime(trace, tracePath(trace, graph, ["Web"]));

describe("runTime", () => {
  test("is the union of the calls along each edge, and of the own time of each bean", () => {
    assert.deepEqual(
      [...times.edges].map(([key, { share, isCritical }]) => [key, share, isCritical]),
      [
        ["entry>Web", 0.8, true],
        ["Web>Slow", 0.6, true],
        ["Web>Quick", 0.2, false],
      ],
    );
    assert.deepEqual(
      [...times.beans],
      [
        ["Web", { ownShare: 0.2, isCritical: true }],
        ["Slow", { ownShare: 0.6, isCritical: true }],
        ["Quick", { ownShare: 0.2, isCritical: false }],
      ],
    );
  });

  test("has a bean that is not recorded on the critical path of the calls through it, without own time", () => {
    const through = traceOf([
      callOf(0, null, "Web", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "Deep", { startUs: 0, durationUs: 50 }),
    ]);
    const hidden = graphOf({ Web: ["Proxy"], Proxy: ["Deep"], Deep: [] }, ["Proxy"]);
    const { beans, edges } = runTime(through, tracePath(through, hidden, ["Web"]));
    assert.deepEqual(beans.get("Proxy"), { ownShare: 0, isCritical: true });
    assert.deepEqual([edges.get("Web>Proxy")?.share, edges.get("Proxy>Deep")?.share], [0.5, 0.5]);
  });
});

describe("lineWidth", () => {
  test("is 12 pixels for the whole run, at least 2 on the critical path, and 1.25 off it", () => {
    const widths = [1, 0.5, 0.01].map((share) => lineWidth({ calls: [], share, isCritical: true }));
    assert.deepEqual([...widths, lineWidth({ calls: [], share: 1, isCritical: false })], [12, 6, 2, 1.25]);
  });
});

describe("fillWidth", () => {
  test("is the share of the box, and nothing below a hundredth", () => {
    const of = (ownShare: number): number => fillWidth({ ownShare, isCritical: true }, 200);
    assert.deepEqual([of(1), of(0.25), of(0.01), of(0.0099)], [200, 50, 2, 0]);
  });
});

describe("progressAt", () => {
  test("is the progress of each call that runs at the moment", () => {
    const quick = times.edges.get("Web>Quick");
    assert.ok(quick);
    assert.deepEqual(
      [progressAt(quick, 27.5), progressAt(quick, 35), progressAt(quick, 40)],
      [[0.75, 2.5 / 15], [10 / 15], []],
    );
  });
});
