/** The division of a run's time along its critical path. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Call, Leaf, Trace } from "../shapes.ts";
import { callOf, httpOf, logOf, sqlOf, traceOf } from "../traces.testkit.ts";
import { whereOf } from "./where.ts";

/** A call from and to these microseconds. */
const call = (id: number, parentId: number | null, from: number, to: number | null, async = true): Call =>
  callOf(id, parentId, `B${id}`, { startUs: from, durationUs: to === null ? null : to - from, async });
const sql = (id: number, parentId: number | null, startUs: number, endUs: number): Leaf =>
  sqlOf(id, parentId, "select 1", { startUs, durationUs: endUs - startUs });

const partsOf = (trace: Trace): Readonly<Record<string, number>> =>
  Object.fromEntries(whereOf(trace).parts.map(({ kind, us }) => [kind, us]));

describe("whereOf", () => {
  it("gives each moment of the critical path to what ran then, the innermost", () => {
    const calls = [call(0, null, 10, 90), call(1, 0, 20, 60), call(2, 0, 60, 80, false)];
    const leaves = [sql(0, 1, 30, 50), httpOf(1, 0, null, { startUs: 82, durationUs: 5 }), logOf(2, 0, "x")];
    const phases = [{ kind: "middleware", name: "Auth", startUs: 0, durationUs: 8 }] as const;
    const where = whereOf(traceOf(calls, { leaves, phases }));
    assert.deepEqual(where.parts, [
      { kind: "http", us: 5 },
      { kind: "sql", us: 20 },
      { kind: "outside", us: 20 },
      { kind: "sync", us: 20 },
      { kind: "beans", us: 35 },
    ]);
    assert.deepEqual(where.steps, [
      { kind: "other", name: "other", us: 12 },
      { kind: "middleware", name: "Auth", us: 8 },
    ]);
    assert.deepEqual(
      where.stretches.map(({ kind, startUs, endUs, call: at }) => [kind, startUs, endUs, at?.id ?? null]).slice(0, 5),
      [
        ["outside", 0, 8, null],
        ["outside", 8, 10, null],
        ["beans", 10, 20, 0],
        ["beans", 20, 30, 1],
        ["sql", 30, 50, 1],
      ],
    );
  });

  it("goes through the last of those that ran side by side, and through another where that one had not begun", () => {
    const calls = [call(0, null, 0, 100), call(1, 0, 0, 70, false), call(2, 0, 50, 100)];
    assert.deepEqual(partsOf(traceOf(calls)), { sync: 50, beans: 50 });
  });

  it("gives a span only what the others of its call leave", () => {
    const span = { ...sql(1, 0, 0, 100), kind: "span", name: "work", detail: {} } as unknown as Leaf;
    assert.deepEqual(partsOf(traceOf([call(0, null, 0, 100)], { leaves: [sql(0, 0, 20, 60), span] })), {
      sql: 40,
      span: 60,
    });
  });

  it("adds up to the run, for any calls and leaves", () => {
    const node = fc.record({ parent: fc.nat(8), from: fc.nat(120), took: fc.option(fc.nat(90)), async: fc.boolean() });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 9 }), fc.array(node, { maxLength: 6 }), (nodes, others) => {
        const calls = nodes.map(({ parent, from, took, async }, id) =>
          callOf(id, parent < id ? parent : null, "B", { startUs: from, durationUs: took, async }),
        );
        const leaves = others.map(({ parent, from, took }, id) =>
          sqlOf(id, parent < calls.length ? parent : null, "select 1", { startUs: from, durationUs: took }),
        );
        const { parts, stretches } = whereOf(traceOf(calls, { leaves }));
        assert.equal(
          parts.reduce((sum, { us }) => sum + us, 0),
          100,
        );
        const edges = stretches.map(({ startUs, endUs }) => [startUs, endUs] as const);
        assert.deepEqual([0, ...edges.map(([, end]) => end)], [...edges.map(([start]) => start), 100]);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
