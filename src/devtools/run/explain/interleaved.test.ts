/** Runs between the read and the write of one that failed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Trace } from "../shapes.ts";
import { callOf, traceOf } from "../traces.testkit.ts";
import { interleavedFindings, interleavingsOf } from "./interleaved.ts";

const ms = 1_000;
const call = (id: number, method: string, fromMs: number, more: Partial<Call> = {}): Call =>
  callOf(id, null, "Stock", { method, args: ["p-7"], startUs: fromMs * ms, durationUs: ms, ...more });

/** A run that began at this time of the clock. */
const run = (sequence: number, startedAt: number, calls: readonly Call[], more: Partial<Trace> = {}): Trace =>
  traceOf(calls, { sequence, startedAt, durationUs: 50 * ms, ...more });

const error = { name: "ConflictError", message: "stale" };
const failed = run(2, 1_000, [call(0, "find", 2), call(1, "save", 30, { error })], { status: 409, error });
const other = run(1, 1_005, [call(0, "find", 1), call(1, "save", 10)], { method: "POST", path: "/stock/p-7" });

describe("interleavingsOf", () => {
  const found = (trace: Trace, ...others: readonly Trace[]): readonly (readonly [number, readonly number[]])[] =>
    interleavingsOf(trace, others).map(({ run: by, calls }) => [by.sequence, calls.map(({ id }) => id)]);

  it("are calls of the write by another run, between the read and the write, for the same thing", () => {
    assert.deepEqual(found(failed, other, failed), [[1, [1]]]);
  });

  it("are none before the read or after the write, of another thing, bean or process, or that failed themselves", () => {
    const save = (more: Partial<Call>, atMs = 10): Trace => run(1, 1_005, [call(1, "save", atMs, more)]);
    const others = [
      run(1, 990, [call(1, "save", 5)]),
      save({}, 40),
      save({ args: ["p-8"] }),
      save({ args: [1] }),
      save({ bean: "Cart" }),
      save({ error }),
      save({ method: "find" }),
      { ...other, instance: "i2" },
      run(1, 9_000, [call(1, "save", 5)]),
    ];
    assert.deepEqual(
      others.map((one) => found(failed, one)),
      others.map(() => []),
    );
  });

  it("are none for a run that worked, or that only reads", () => {
    assert.deepEqual(found({ ...failed, status: 200, error: null }, other), []);
    assert.deepEqual(found({ ...failed, calls: [call(0, "find", 2), call(1, "find", 30)] }, other), []);
  });

  it("are of beans without arguments too", () => {
    const [next, commit] = [call(0, "next", 2, { args: [] }), call(1, "commit", 30, { args: [], error })];
    const same = run(1, 1_005, [call(1, "commit", 10, { args: [] })]);
    assert.deepEqual(found({ ...failed, calls: [next, commit] }, same, other), [[1, [1]]]);
  });
});

describe("interleavedFindings", () => {
  it("name both calls, the other run and how often, three runs at most", () => {
    const twice = { ...other, calls: [call(1, "save", 10), call(2, "save", 12)] };
    const [{ message, detail, call: at } = assert.fail()] = interleavedFindings(failed, [twice]);
    assert.equal(message, "between Stock.find and Stock.save of this run, POST /stock/p-7 called Stock.save 2 times");
    assert.match(detail, /^the run i1\.1, which began at \d\d:\d\d:\d\d$/);
    assert.equal(at, failed.calls[1]);
    const many = [3, 4, 5, 6].map((sequence) => ({ ...other, sequence }));
    assert.equal(interleavedFindings(failed, many).length, 3);
  });
});
