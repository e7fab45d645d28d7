/** Attempts after a failure, and equal calls that are none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Leaf, Trace } from "./shapes.ts";
import { callOf, httpOf, sqlOf, traceOf } from "./traces.testkit.ts";
import { explain } from "./explain/explain.ts";
import { leafRetriesOf, repeatsOf, retriedIn, retriesOf } from "./retries.ts";

const error = { name: "TimeoutError", message: "no answer" };
/** An equal call from and to these microseconds. */
const rate = (id: number, from: number, to: number, more: Partial<Call> = {}): Call =>
  callOf(id, null, "Rates", { args: ["EUR"], startUs: from, durationUs: to - from, ...more });

const idsOf = (retries: readonly { readonly attempts: readonly { readonly id: number }[] }[]): readonly number[][] =>
  retries.map(({ attempts }) => attempts.map(({ id }) => id));

describe("retriesOf", () => {
  it("are equal calls of one caller, each after the one before had failed, with the cost of the failed ones", () => {
    const trace = traceOf([rate(0, 0, 10, { error }), rate(1, 20, 30, { error }), rate(2, 40, 50)]);
    const [retry = assert.fail()] = retriesOf(trace);
    assert.deepEqual([idsOf([retry]), retry.hasWorked, retry.costUs], [[[0, 1, 2]], true, 40]);
    const failed = traceOf([rate(0, 0, 10, { error }), rate(1, 20, 30, { error })]);
    assert.deepEqual(
      retriesOf(failed).map(({ hasWorked }) => hasWorked),
      [false],
    );
  });

  it("are no calls side by side, of other arguments, of another caller, or after one that worked", () => {
    for (const second of [{ startUs: 5 }, { args: ["USD"] }, { parentId: 9 }])
      assert.deepEqual(retriesOf(traceOf([rate(0, 0, 10, { error }), rate(1, 20, 30, second)])), []);
    assert.deepEqual(retriesOf(traceOf([rate(0, 0, 10), rate(1, 20, 30)])), []);
  });

  it("are two if two loops try the same beside each other, and the most expensive is first", () => {
    const calls = [rate(0, 0, 10, { error }), rate(1, 5, 15, { error }), rate(2, 12, 20), rate(3, 18, 25)];
    assert.deepEqual(idsOf(retriesOf(traceOf(calls))), [
      [1, 3],
      [0, 2],
    ]);
  });

  it("are also attempts with arguments that are not wholly recorded", () => {
    const args = [{ $function: "work" }];
    const trace = traceOf([rate(0, 0, 10, { args, error }), rate(1, 20, 30, { args }), rate(2, 40, 50, { args })]);
    assert.deepEqual([idsOf(retriesOf(trace)), repeatsOf(trace)], [[[0, 1]], []]);
  });
});

describe("leafRetriesOf", () => {
  const request = (id: number, startUs: number, status: number): Leaf => {
    const leaf = httpOf(id, null, null, { startUs, durationUs: 5 });
    return { ...leaf, detail: { ...leaf.detail, status } } as Leaf;
  };

  it("are equal operations after one that failed, or requests after one that was rejected", () => {
    const statements = [
      sqlOf(3, null, "select 1", { error, startUs: 0, durationUs: 2 }),
      sqlOf(4, null, "select 1", { startUs: 9 }),
    ];
    const same = statements.map((leaf) => ({ ...leaf, detail: { ...leaf.detail, parameters: [] } }) as Leaf);
    const leaves = [request(0, 0, 503), request(1, 10, 503), request(2, 20, 200), ...same];
    assert.deepEqual(idsOf(leafRetriesOf(traceOf([], { leaves }))), [
      [0, 1, 2],
      [3, 4],
    ]);
    assert.deepEqual(leafRetriesOf(traceOf([], { leaves: [request(0, 0, 200), request(1, 10, 200)] })), []);
  });
});

describe("repeatsOf", () => {
  it("are equal calls without the attempts after a failure", () => {
    const calls = [rate(0, 0, 10, { error }), rate(1, 20, 30), rate(2, 40, 47)];
    assert.deepEqual(
      repeatsOf(traceOf(calls)).map(({ calls: same, costUs }) => [same.map(({ id }) => id), costUs]),
      [[[1, 2], 7]],
    );
    assert.deepEqual(repeatsOf(traceOf(calls.slice(0, 2))), []);
  });
});

describe("retriedIn", () => {
  it("are the attempts that failed and were tried again, which are no other finding", () => {
    const attempts = [0, 1, 2, 3, 4, 5].map((n) =>
      rate(n, n * 20_000, n * 20_000 + 19_000, { async: true, ...(n < 5 ? { error } : {}) }),
    );
    const leaves = attempts.map(({ id, startUs }) => httpOf(id, id, null, { startUs, durationUs: 18_000 }));
    const trace: Trace = traceOf(attempts, { durationUs: 120_000, leaves });
    assert.deepEqual(
      [...retriedIn(trace)].map(({ id }) => id),
      [0, 1, 2, 3, 4],
    );
    const kinds = new Set(explain(trace).map(({ kind }) => kind));
    assert.deepEqual([...kinds], ["retry", "critical-path"]);
  });
});
