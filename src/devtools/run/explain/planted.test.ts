/**
 * Findings against planted causes: 20 kinds of causes in ten variations each, and 200 runs without one. A cause is named if a
 * finding of its kind is about its call. A false alarm is a finding in a run without a cause.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Trace } from "../shapes.ts";
import { explain } from "./explain.ts";
import type { Finding, FindingKind } from "./findings.ts";
import { draftOf, errorOf, type Draft } from "./planted.testkit.ts";

/** Where the cause is, after it was planted. */
interface Planted {
  /** The finding's kind, one of these. */
  readonly kinds: readonly FindingKind[];
  /** The call that the finding has to be about, or a part of its sentence. */
  readonly at: Pick<Call, "bean"> | RegExp;
  /** A run of the same request that worked. */
  readonly good?: (trace: Trace) => Trace;
}

type Plant = (draft: Draft, at: Call) => Planted;

/** A healthy leaf time in a run of some milliseconds. */
const little = (draft: Draft): number => draft.dice.int(80, 400);

const causes: Readonly<Record<string, Plant>> = {
  "a bean that throws"(draft, at) {
    const { dice } = draft;
    const error = errorOf(dice.pick(["RangeError", "TypeError", "NotFoundError"]), `no ${draft.value()} here`);
    const thrower = draft.call(at, () => draft.wait(little(draft)), { error, result: null });
    for (let up: Call | undefined = at; up; up = draft.calls.find(({ id }) => id === up?.parentId))
      Object.assign(up, { error, result: null });
    draft.more = { error, status: 500 };
    return { kinds: ["error"], at: thrower };
  },
  "a swallowed error"(draft, at) {
    const error = errorOf("TimeoutError", `gave up after ${draft.dice.int(1, 9)} s`);
    draft.call(at, () => draft.wait(little(draft)), { error, result: null });
    return { kinds: ["swallowed"], at };
  },
  "a statement that failed, and nobody noticed"(draft, at) {
    const repository = draft.call(at, (call) => {
      const leaf = draft.sql(call, little(draft));
      draft.leaves[leaf.id] = { ...leaf, error: errorOf("Error", "duplicate key") };
    });
    return { kinds: ["swallowed"], at: repository };
  },
  "a call that nobody awaited"(draft, at) {
    draft.call(at, () => undefined, { durationUs: null, result: { $pending: true } });
    return { kinds: ["unfinished"], at };
  },
  "a value that breaks the contract"(draft, at) {
    const total = draft.dice.int(10_000, 99_999);
    const counter = draft.call(at, () => draft.wait(little(draft)), { result: { sum: String(total) } });
    const response = { headers: {}, body: { sum: String(total) }, bytes: 20 };
    draft.more = { response, contractIssues: [{ pointer: "/sum", message: "must be a number" }] };
    return { kinds: ["contract"], at: counter };
  },
  "another result for the same arguments"(draft, at) {
    const args = [draft.value()];
    const rates = draft.call(at, () => draft.wait(little(draft)), { args, result: draft.dice.int(50, 99) });
    return { kinds: ["difference"], at: rates, good: changed(rates.id, { result: 7 }) };
  },
  "other arguments for the same request"(draft, at) {
    const taker = draft.call(at, () => draft.wait(little(draft)), { args: [draft.value()] });
    return { kinds: ["difference"], at, good: changed(taker.id, { args: ["as before"] }) };
  },
  "a call that the run that worked did not make"(draft, at) {
    const extra = draft.call(at, () => draft.wait(little(draft)));
    return {
      kinds: ["difference"],
      at,
      good: (trace) => ({ ...trace, sequence: 1, calls: trace.calls.filter(({ id }) => id !== extra.id) }),
    };
  },
  "other rows for the same statement"(draft, at) {
    const repository = draft.call(at, (call) => void draft.sql(call, little(draft)));
    return {
      kinds: ["difference"],
      at: repository,
      good: (trace) => ({
        ...trace,
        sequence: 1,
        leaves: trace.leaves.map((leaf) =>
          leaf.parentId === repository.id && leaf.kind === "sql"
            ? { ...leaf, detail: { ...leaf.detail, rows: 40 } }
            : leaf,
        ),
      }),
    };
  },
  "a warning in the log"(draft, at) {
    draft.log(at, draft.dice.pick(["warn", "error", "WARN"]), `pool is at ${draft.dice.int(91, 99)} %`);
    return { kinds: ["logged"], at };
  },
  "a request that another service rejected"(draft, at) {
    const client = draft.call(
      at,
      (call) => void draft.http(call, little(draft), "http://rates/v1", draft.dice.pick([400, 404, 500, 503])),
    );
    return { kinds: ["failed-request"], at: client };
  },
  "a statement in a loop"(draft, at) {
    const times = draft.dice.int(3, 40);
    const looping = draft.call(at, (call) => {
      for (let n = 0; n < times; n += 1) draft.sql(call, draft.dice.int(20, 60), `select * from lines where id = ${n}`);
    });
    return { kinds: ["repeated-statement"], at: looping };
  },
  "a statement in a loop over a bean"(draft, at) {
    const [times, bean] = [draft.dice.int(3, 40), draft.dice.name()];
    const looping = draft.call(at, (call) => {
      for (let n = 0; n < times; n += 1)
        draft.call(call, (one) => void draft.sql(one, draft.dice.int(20, 60), "select * from users where id = $1"), {
          bean,
          method: "find",
        });
    });
    return { kinds: ["repeated-statement"], at: looping };
  },
  "a request in a loop"(draft, at) {
    const times = draft.dice.int(3, 30);
    const looping = draft.call(at, (call) => {
      for (let n = 0; n < times; n += 1) draft.http(call, draft.dice.int(20, 60), `http://seats/v1/${100 + n}`);
    });
    return { kinds: ["repeated-request"], at: looping };
  },
  "the same call again"(draft, at) {
    const [bean, args] = [draft.dice.name(), [draft.value(), draft.dice.int(2, 99)]];
    const times = draft.dice.int(2, 6);
    for (let n = 0; n < times; n += 1) {
      draft.call(at, () => draft.wait(draft.dice.int(40, 90)), { bean, args, method: "rate", result: 5 });
      if (draft.dice.int(0, 1) === 0) draft.log(at, "info", "again");
    }
    return { kinds: ["repeated-call"], at: new RegExp(`equal calls of ${bean}`) };
  },
  "attempts after an error"(draft, at) {
    const [bean, args, times] = [draft.dice.name(), [draft.value()], draft.dice.int(2, 5)];
    const error = errorOf("TimeoutError", "no answer");
    for (let n = 1; n <= times; n += 1) {
      const failed = n < times ? { error, result: null } : {};
      draft.call(at, () => draft.wait(draft.dice.int(100, 500)), { bean, args, method: "charge", ...failed });
      draft.wait(draft.dice.int(10, 200));
    }
    return { kinds: ["retry"], at: { bean } };
  },
  "independent calls in a row"(draft, at) {
    const times = draft.dice.int(2, 8);
    const each = draft.dice.int(4_000, 9_000);
    const parent = draft.call(at, (call) => {
      for (let n = 0; n < times; n += 1)
        draft.call(call, () => draft.wait(each + draft.dice.int(0, 900)), { args: [`k-${n}`], result: `r-${n}-${n}` });
    });
    return { kinds: ["sequence"], at: parent };
  },
  "a slow statement"(draft, at) {
    const repository = draft.call(at, (call) => void draft.sql(call, draft.dice.int(9_000, 90_000)));
    return { kinds: ["slow"], at: repository };
  },
  "a slow request"(draft, at) {
    const client = draft.call(at, (call) => void draft.http(call, draft.dice.int(9_000, 900_000), "http://rates/FR"));
    return { kinds: ["slow"], at: client };
  },
  "a bean that computes"(draft, at) {
    const isSync = draft.dice.int(0, 1) === 0;
    const pdf = draft.call(at, () => draft.wait(draft.dice.int(9_000, 90_000)), { async: !isSync });
    return { kinds: ["own-time"], at: pdf };
  },
  "a slow middleware"(draft) {
    const [name, us] = [draft.dice.name(), draft.dice.int(9_000, 90_000)];
    // Before the handler, so that every call is later.
    for (const call of draft.calls) Object.assign(call, { startUs: call.startUs + us });
    for (const [id, leaf] of draft.leaves.entries()) draft.leaves[id] = { ...leaf, startUs: leaf.startUs + us };
    draft.wait(us);
    draft.more = { phases: [{ kind: "middleware", name, startUs: 10, durationUs: us }] };
    return { kinds: ["own-time"], at: new RegExp(`middleware ${name}`) };
  },
  "more calls than are kept"(draft) {
    draft.more = { droppedCalls: draft.dice.int(1, 900), callLimit: 500 };
    return { kinds: ["dropped"], at: /not recorded/ };
  },
};

/** The same run with another call, as it was when it worked. */
const changed =
  (id: number, more: Partial<Call>) =>
  (trace: Trace): Trace => ({
    ...trace,
    sequence: 1,
    calls: trace.calls.map((call) => (call.id === id ? { ...call, ...more } : call)),
  });

const VARIATIONS = 10;

const isNamed = (found: readonly Finding[], { kinds, at }: Planted): boolean =>
  found.some(
    ({ kind, call, message }) =>
      kinds.includes(kind) && (at instanceof RegExp ? at.test(message) : call?.bean === at.bean),
  );

describe("explain, with a planted cause", () => {
  const missed: string[] = [];
  for (const [index, [cause, plant]] of Object.entries(causes).entries())
    it(`names ${cause}, in nine of ten variations at least`, () => {
      const before = missed.length;
      for (let variation = 0; variation < VARIATIONS; variation += 1) {
        let planted: Planted | undefined;
        const trace = draftOf(1_000 * (index + 1) + variation, (draft, at) => (planted = plant(draft, at))).trace();
        assert.ok(planted);
        const found = explain(trace, planted.good?.(trace));
        if (!isNamed(found, planted)) missed.push(`${cause} ${variation}: ${found.map(({ kind }) => kind).join(" ")}`);
      }
      assert.ok(missed.length - before <= 1, missed.slice(before).join("\n"));
    });

  it("names 95 % of all", () => {
    const all = Object.keys(causes).length * VARIATIONS;
    assert.ok(all >= 200 && missed.length <= 0.05 * all, missed.join("\n"));
  });
});

describe("explain, with nothing planted", () => {
  it("finds something in at most 5 % of the runs, also if one that worked is known", () => {
    const alarms: string[] = [];
    const runs = 200;
    for (let seed = 0; seed < runs; seed += 1) {
      const trace = draftOf(77_000 + seed, (draft, at) => draft.noise(at, 4_000)).trace();
      // The run that worked took other times.
      const good = {
        ...trace,
        sequence: 1,
        calls: trace.calls.map((call) => ({ ...call, startUs: call.startUs + 3 })),
      };
      // The way of the time is a description of any run.
      const found = explain(trace, good).filter(({ kind }) => kind !== "critical-path");
      if (found.length > 0)
        alarms.push(`${seed}: ${found.map(({ kind, message }) => `${kind} ${message}`).join("; ")}`);
    }
    assert.ok(alarms.length <= 0.05 * runs, alarms.join("\n"));
  });
});
