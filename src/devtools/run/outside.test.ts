/** The time outside of beans, by step. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rootOf } from "./calls.ts";
import { outsideName, outsideOf, spansBetween } from "./outside.ts";
import type { Phase, Trace } from "./shapes.ts";
import { callOf, traceOf } from "./traces.testkit.ts";

const phase = (kind: Phase["kind"], name: string, startUs: number, durationUs: number): Phase => ({
  kind,
  name,
  startUs,
  durationUs,
});

describe("outsideOf", () => {
  const call = (id: number, startUs: number, durationUs: number | null): Trace["calls"][number] =>
    callOf(id, null, "A", { startUs, durationUs });
  const phases = [
    phase("middleware", "Auth", 5, 15),
    phase("handler", "show", 20, 60),
    phase("middleware", "Auth", 80, 5),
    phase("sending", "response", 90, 10),
  ];

  it("is the time of each step in which no call ran, the longest first, and the rest", () => {
    const trace = traceOf([call(0, 25, 20), call(1, 40, 25)], { phases });
    assert.deepEqual(outsideOf(trace), [
      { kind: "middleware", name: "Auth", us: 20 },
      { kind: "handler", name: "show", us: 20 },
      { kind: "other", name: "other", us: 10 },
      { kind: "sending", name: "response", us: 10 },
    ]);
  });

  it("adds up to the self time of the run, whatever its calls", () => {
    const runs = [[], [call(0, 0, 100)], [call(0, 10, 5), call(1, 12, 60)], [call(0, 50, null)], [call(0, 95, 30)]];
    for (const calls of runs)
      for (const steps of [phases, undefined]) {
        const trace = traceOf(calls, steps === undefined ? {} : { phases: steps });
        const sum = outsideOf(trace).reduce((all, { us }) => all + us, 0);
        assert.equal(sum, rootOf(trace).selfUs);
      }
  });
});

describe("spansBetween", () => {
  it("has no gap", () => {
    assert.deepEqual(spansBetween([phase("parsing", "JSON body", 2, 3)], 1, 9), [
      { kind: "other", name: "other", startUs: 1, endUs: 2 },
      { kind: "parsing", name: "JSON body", startUs: 2, endUs: 5 },
      { kind: "other", name: "other", startUs: 5, endUs: 9 },
    ]);
    assert.deepEqual(spansBetween([], 4, 4), []);
  });
});

describe("outsideName", () => {
  it("has the kind and the name, once if they are the same", () => {
    const names = [
      phase("middleware", "Auth", 0, 1),
      phase("sending", "response", 0, 1),
      phase("event-loop", "blocked", 0, 1),
    ];
    assert.deepEqual([...names, { kind: "other", name: "other" } as const].map(outsideName), [
      "middleware Auth",
      "sending",
      "event loop blocked",
      "other",
    ]);
  });
});
