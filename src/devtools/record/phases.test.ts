/** The parts of a request's time: nested steps become parts in a row. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Phase } from "../run/shapes.ts";
import { phasesOf, type TimedStep } from "./phases.ts";

/** A step from and to these milliseconds, in a request that began at 1,000. */
const stepOf = (name: string, from: number, to: number, kind: Phase["kind"] = "middleware"): TimedStep => ({
  kind,
  name,
  startedAt: 1_000 + from,
  endedAt: 1_000 + to,
});

const parts = (durationMs: number, ...steps: readonly TimedStep[]): readonly string[] =>
  phasesOf(steps, 1_000, durationMs * 1_000).map(
    ({ name, startUs, durationUs }) => `${name} ${startUs / 1_000}+${durationUs / 1_000}`,
  );

describe("phasesOf", () => {
  it("gives each moment to the innermost step, so that a middleware has the time before and after the rest", () => {
    const steps = [stepOf("json", 3, 5), stepOf("show", 2, 7), stepOf("auth", 1, 9), stepOf("send", 10, 12)];
    assert.deepEqual(parts(12, ...steps), ["auth 1+1", "show 2+1", "json 3+2", "show 5+2", "auth 7+2", "send 10+2"]);
  });

  it("has no part for a step that took less than a microsecond, or that is full of others", () => {
    assert.deepEqual(parts(9, stepOf("outer", 1, 3), stepOf("inner", 1, 3), stepOf("none", 5, 5.0001)), ["inner 1+2"]);
  });

  it("ends with the request, and counts steps that overlap once", () => {
    assert.deepEqual(parts(6, stepOf("a", -1, 4), stepOf("b", 2, 5), stepOf("late", 5, 9)), [
      "a 0+2",
      "b 2+3",
      "late 5+1",
    ]);
  });

  it("has a hundred parts at most", () => {
    const many = Array.from({ length: 150 }, (_, at) => stepOf(`s${at}`, at, at + 1));
    assert.equal(phasesOf(many, 1_000, 150_000).length, 100);
    assert.deepEqual(phasesOf([], 0, 5), []);
  });
});
