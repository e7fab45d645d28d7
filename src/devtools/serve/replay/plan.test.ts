/**
 * The proposal for a replay, and the notes about the run.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Leaf, Stereotype, Trace } from "../../index.ts";
import { planOf, type Surroundings } from "./plan.ts";
import { Reviver, SeenErrors } from "../../capture/revive.ts";

const call = (id: number, parentId: number | null, bean: string, stereotype: Stereotype = "bean"): Call => ({
  id,
  parentId,
  depth: 0,
  bean,
  declaredBy: bean,
  stereotype,
  method: "run",
  args: [],
  result: null,
  error: null,
  startUs: id,
  durationUs: 1,
  async: false,
});
const run = (calls: readonly Call[], more: Partial<Trace> = {}): Trace => ({
  instance: "a",
  id: "a",
  sequence: 1,
  correlationId: null,
  method: "GET",
  path: "/",
  route: "/",
  status: 200,
  startedAt: 0,
  durationUs: 9,
  aborted: false,
  calls,
  droppedCalls: 0,
  leaves: [],
  droppedLeaves: 0,
  error: null,
  request: { pathParams: {}, query: {}, headers: {}, body: null },
  response: { headers: {}, body: null, bytes: 0 },
  ...more,
});
const session = { instance: "a", startedAt: 0, app: null, commit: "c".repeat(40), branch: null };

function around(beans: readonly string[], recordedBy: Surroundings["recordedBy"] | null = session): Surroundings {
  const nodes = beans.map((id) => ({
    id,
    name: id,
    stereotype: "bean" as const,
    implementation: id,
    traceable: id !== "Class",
    dependencies: [],
  }));
  const reviver = new Reviver(new Map(), new SeenErrors());
  return {
    graph: { nodes, edges: [], unspied: [] },
    reviver,
    session,
    recordedBy: recordedBy ?? undefined,
    ticket: undefined,
    jobs: [],
  };
}

describe("planOf", () => {
  it("proposes repositories, and beans that called none, except those called only below such beans", () => {
    const calls = [
      call(0, null, "Web"),
      call(1, 0, "Repo", "repository"),
      call(2, 1, "Database"),
      call(3, 0, "Clock"),
      call(4, 0, "Busy"),
      call(5, 4, "Cache"),
      call(6, 5, "Repo", "repository"),
    ];
    const { beans } = planOf(run(calls), around(["Web", "Repo", "Database", "Clock", "Busy", "Cache"]));
    const defaults = beans.filter(({ isDefault }) => isDefault).map(({ bean }) => bean);
    assert.deepEqual(defaults, ["Repo", "Clock"]);
    const lost = planOf(run([call(0, 7, "Web")]), around(["Web"])).beans;
    assert.deepEqual(lost, [{ bean: "Web", calls: 1, isDefault: true, refusal: null }]);
    const outside = planOf(run([...calls, call(7, 0, "Database")]), around([]));
    assert.deepEqual(
      outside.beans.filter(({ isDefault }) => isDefault).map(({ bean }) => bean),
      ["Repo", "Database", "Clock"],
    );
  });

  it("rejects a bean that is gone or not recorded here, and a run that is not a request", () => {
    const { beans } = planOf(run([call(0, null, "Gone"), call(1, null, "Class")]), around(["Class"]));
    assert.deepEqual(
      beans.map(({ refusal }) => refusal),
      ["there is no bean Gone here", "the calls of Class are not recorded here"],
    );
    assert.match(planOf(run([], { kind: "background" }), around([])).refusal ?? "", /^it is no request/);
  });

  it("REPLAY-013: has how often each bean was called, why one cannot return that, and the ticket", () => {
    const odd = { ...call(2, null, "Repo"), method: "load", result: { $bytes: 3 } };
    const plan = planOf(run([call(0, null, "Web"), call(1, null, "Repo"), odd]), {
      ...around(["Web", "Repo"]),
      ticket: "t-1",
    });
    assert.deepEqual(plan, {
      instance: "a",
      sequence: 1,
      notes: [],
      refusal: null,
      testRefusal: null,
      ticket: "t-1",
      beans: [
        { bean: "Web", calls: 1, isDefault: true, refusal: null },
        {
          bean: "Repo",
          calls: 2,
          isDefault: true,
          refusal: "Repo.load() cannot be replayed: result is bytes, which are not kept",
        },
      ],
    });
    const cannot = planOf(run([], { status: 101 }), around([]));
    assert.deepEqual([cannot.refusal, cannot.testRefusal], [null, "its connection has left HTTP"]);
  });

  it("counts by kind the operations outside of the proposed beans and the calls below them", () => {
    const leaf = (kind: "sql" | "http" | "log" | "span", parentId: number | null): Leaf =>
      ({ id: 0, parentId, kind, name: kind, detail: {}, error: null, startUs: 0, durationUs: 1 }) as unknown as Leaf;
    const calls = [
      call(0, null, "Web"),
      call(1, 0, "Repo", "repository"),
      call(2, 1, "Database"),
      call(3, 0, "Clock"),
      call(4, 0, "Busy"),
      call(5, 4, "Clock"),
    ];
    const within = [leaf("sql", 1), leaf("http", 2), leaf("sql", 3)];
    const outside = [leaf("sql", 0), leaf("http", null), leaf("sql", 4), leaf("log", 0), leaf("span", null)];
    const { notes } = planOf(run(calls, { leaves: [...within, ...outside] }), around([]));
    assert.deepEqual(notes, ["what it did outside of Repo, Clock is done again: 2 sql, 1 http"]);
    assert.deepEqual(planOf(run(calls, { leaves: [...within, leaf("log", 0)] }), around([])).notes, []);
  });

  it("notes an earlier process, another or unknown commit, and calls that were not kept", () => {
    const former = { ...session, instance: "b", commit: "d".repeat(40) };
    const notes = (recordedBy: Surroundings["recordedBy"] | null, more: Partial<Trace> = {}): readonly string[] =>
      planOf(run([], { instance: "b", ...more }), around([], recordedBy)).notes;
    const process = "the run was recorded by a former process of the application";
    assert.deepEqual(notes(former), [
      `${process}, started at 1970-01-01T00:00:00.000Z`,
      "it was recorded at commit dddddddddd, and this is cccccccccc",
    ]);
    assert.deepEqual(notes({ ...former, commit: session.commit }).slice(1), []);
    const unknown = { ...around([], former), session: { ...session, commit: null } };
    assert.deepEqual(planOf(run([], { instance: "b" }), unknown).notes.slice(1), [
      "it is not known whether the code is the same",
    ]);
    assert.deepEqual(notes(null), [process, "it is not known whether the code is the same"]);
    assert.deepEqual(planOf(run([], { droppedCalls: 3 }), around([])).notes, ["3 of its calls were not kept"]);
  });
});
