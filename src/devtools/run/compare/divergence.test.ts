/**
 * Divergence: the differences of a run in order of time, and the call that made each.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Json, Leaf, Trace } from "../shapes.ts";
import { divergences } from "./divergence.ts";
import { callOf, sqlOf, traceOf } from "../traces.testkit.ts";

/** A short form, `kind by>at path,path`. */
const found = (good: Trace, run: Trace): readonly string[] =>
  divergences(good, run).map(({ kind, by, at, leaf, differences }) =>
    `${kind} ${by?.bean ?? "-"}>${at.bean}${leaf === null ? "" : ` l${leaf.id}`} ${differences.map(({ path }) => path.slice(2)).join()}`.trim(),
  );
const run = (calls: readonly Call[], leaves: readonly Leaf[] = []): Trace => traceOf(calls, { leaves });
const call = (id: number, parentId: number | null, bean: string, more: Partial<Call> = {}): Call =>
  callOf(id, parentId, bean, { args: [], startUs: id, durationUs: 90 - 2 * id, depth: id, ...more });
const rows = (id: number, parentId: number, more: Partial<Leaf> = {}, result: Json = [], statement = "s"): Leaf =>
  ({
    ...sqlOf(id, parentId, statement),
    detail: { system: "", statement, parameters: [], rows: 1, result },
    ...more,
  }) as Leaf;

describe("divergences", () => {
  it("are in order of time; the inner one first of two with the same end, the outer one first of two with the same start", () => {
    const at = { startUs: 5, durationUs: 10 };
    const calls = (a: Json, b: Json, c: Json, d: Json): Trace =>
      run([
        call(0, null, "A", { ...at, args: [a], result: b, depth: 0 }),
        call(1, 0, "B", { ...at, args: [c], result: d, depth: 1 }),
      ]);
    assert.deepEqual(found(calls(1, 2, 3, 4), calls(11, 12, 13, 14)), [
      "arguments ->A args[0]",
      "arguments A>B args[0]",
      "result B>B result",
      "result A>A result",
    ]);
    const beside = (one: Json, other: Json): Trace =>
      run([
        call(0, null, "A", { ...at, depth: 0, result: one }),
        call(1, null, "B", { ...at, depth: 0, result: other }),
      ]);
    assert.deepEqual(found(beside(1, 2), beside(11, 12)), ["result A>A result", "result B>B result"]);
  });

  it("puts an end before a start at the same time, and a missing call before its caller's end", () => {
    const calls = (value: number): Trace =>
      run([
        call(0, null, "A", { startUs: 0, durationUs: 10, result: value }),
        call(1, null, "B", { startUs: 10, args: [value + 1] }),
      ]);
    assert.deepEqual(found(calls(5), calls(7)), ["result A>A result", "arguments ->B args[0]"]);
    const good = run([call(0, null, "A"), call(1, 0, "B"), call(2, 1, "C"), call(3, 2, "D")]);
    const bad = run([
      call(0, null, "A"),
      call(1, 0, "B", { result: 5, durationUs: 20 }),
      call(2, 0, "X", { startUs: 30 }),
    ]);
    assert.deepEqual(found(good, bad), ["missing B>C", "result B>B result", "extra A>X"]);
    assert.deepEqual(divergences(good, bad)[0]?.by?.id, 1);
  });

  it("puts the handler's missing call at the run's end, and leaves out one without its caller", () => {
    const good = run([call(0, null, "A"), call(1, null, "B"), call(2, 99, "C")]);
    assert.deepEqual(found(good, run([call(0, null, "A", { result: 1 })])), ["result A>A result", "missing ->B"]);
  });

  it("looks for the caller of a missing call among the calls of both, after a new one", () => {
    const good = run([call(0, null, "A"), call(1, 0, "B")]);
    assert.deepEqual(found(good, run([call(0, null, "X"), call(1, null, "A")])), ["extra ->X", "missing A>B"]);
  });

  it("puts rows before the result of their call, and ends before starts, in any recorded order", () => {
    const at = (n: number): Trace =>
      run(
        [
          call(0, null, "A", { startUs: 10, durationUs: 20, args: [n], result: n + 50 }),
          call(1, null, "B", { startUs: 0, durationUs: 10, result: n + 100 }),
        ],
        [rows(1, 0, { startUs: 20, durationUs: 10 }, [n + 200])],
      );
    assert.deepEqual(found(at(5), at(7)), [
      "result B>B result",
      "arguments ->A args[0]",
      "rows A>A l1 result[0]",
      "result A>A result",
    ]);
  });

  it("takes a removed argument as another argument, not as another result", () => {
    const given = (arg: Json): Trace => run([call(0, null, "A", { args: [arg] })]);
    assert.deepEqual(found(given({ a: 1 }), given({})), ["arguments ->A args[0].a"]);
  });

  it("separates arguments from results", () => {
    const [good, bad] = [1, 2].map((n) => run([call(0, null, "A", { args: [n], result: n + 5 })])) as [Trace, Trace];
    assert.deepEqual(found(good, bad), ["arguments ->A args[0]", "result A>A result"]);
    assert.deepEqual(
      divergences(good, bad).map(({ isExpected }) => isExpected),
      [false, true],
    );
  });

  it("compares the statements of a call one by one up to the shorter list, and ignores other leaves", () => {
    const http = { ...rows(9, 0), kind: "http" } as unknown as Leaf;
    const good = run([call(0, null, "A")], [http, rows(1, 0), rows(2, 0, {}, [1])]);
    const bad = run([call(0, null, "A")], [rows(1, 0), rows(2, 0, {}, [2]), rows(3, 0, {}, [3]), http]);
    assert.deepEqual(found(good, bad), ["rows A>A l2 result[0]"]);
    const failed = run([call(0, null, "A")], [rows(1, 0, { error: { name: "E", message: "locked" } })]);
    assert.deepEqual(divergences(run([call(0, null, "A")], [rows(1, 0)]), failed)[0]?.differences, [
      { path: "$.error", kind: "changed", before: null, after: "locked" },
    ]);
  });

  it("puts rows at the end of their statement, before a start at that time, and a statement at its own start", () => {
    const calls = (n: number, more: Partial<Leaf>, statement = "s"): Trace =>
      run(
        [call(0, null, "A", { durationUs: 90 }), call(1, 0, "B", { startUs: 30, durationUs: 10, args: [n * 10] })],
        [rows(1, 0, more, [n], statement)],
      );
    const both = (more: Partial<Leaf>, other = "s"): readonly string[] => found(calls(5, more), calls(7, more, other));
    const [late, early] = [
      ["arguments A>B args[0]", "rows A>A l1 result[0]"],
      ["rows A>A l1 result[0]", "arguments A>B args[0]"],
    ];
    assert.deepEqual(both({ startUs: 29, durationUs: 2 }), late);
    assert.deepEqual(both({ startUs: 29, durationUs: 1 }), early);
    assert.deepEqual(both({ startUs: 29, durationUs: null }), early);
    assert.deepEqual(both({ startUs: 29, durationUs: 9 }, "t"), [
      "statement A>A l1 statement",
      "arguments A>B args[0]",
    ]);
  });

  it("leaves out a difference if all its values come from an earlier one", () => {
    const calls = (inner: Json, outer: Json): Trace =>
      run([call(0, null, "A", { result: outer }), call(1, 0, "B", { result: inner })]);
    const second = (inner: Json, outer: Json): boolean => found(calls(1, 1), calls(inner, outer)).length === 2;
    assert.deepEqual(
      [
        second(5, { total: 5 }),
        second({ n: 5 }, { m: [5] }),
        second(5, { total: 5, more: 6 }),
        second({ n: 5 }, { n: 6 }),
        second(5, "5"),
        second(null, null),
        second(5, {}),
      ],
      [false, false, true, true, true, false, true],
    );
    const gone = (fields: Json): Trace => calls(fields, fields);
    assert.deepEqual(found(gone({ a: 1 }), gone({})), ["result B>B result.a", "result A>A result.a"]);
  });
});
