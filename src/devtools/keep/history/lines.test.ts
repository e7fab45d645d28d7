/**
 * Lines: a line of history is checked member by member, and other lines are named by their kind.
 *
 * Spec: spec/history.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOf, runOf } from "../../run/search/runs.testkit.ts";
import type { StartUp } from "../../run/shapes.ts";
import { readHistoryLine, runText, sessionText, startText, type SessionLine } from "./lines.ts";

const session: SessionLine = { instance: "a-1", startedAt: 5, app: "shop", commit: "c", branch: "main" };
const start: StartUp = {
  instance: "a-1",
  startedAt: 5,
  durationUs: 9,
  droppedBeans: 0,
  notBuilt: ["Mailer"],
  chain: ["A", "B"],
  beans: [{ bean: "A", stereotype: "service", parent: "B", startUs: 1, durationUs: 2, selfUs: 1, error: null }],
  hooks: [{ name: "warm", startUs: 1, durationUs: 3, error: { name: "E", message: "no" } }],
  error: { name: "Error", message: "no" },
};
const error = { name: "E", message: "no", causes: [{ name: "F", message: "why" }] };
const run = runOf({
  correlationId: "page-1",
  error,
  kind: "trace",
  contractIssues: [{ pointer: "/a", message: "must" }],
  request: { pathParams: { id: "7" }, query: { a: ["b"] }, headers: { accept: ["x"] }, body: { a: 1 } },
  calls: [callOf(0, "A", "read", { params: ["id"], error }), callOf(1, "B", "read", { durationUs: null })],
  leaves: [
    {
      id: 0,
      parentId: 0,
      kind: "sql",
      name: "select",
      startUs: 1,
      durationUs: 2,
      error: { name: "E", message: "no" },
      detail: { system: "", statement: "select 1", parameters: [], rows: 1 },
    },
    {
      id: 1,
      parentId: null,
      kind: "log",
      name: "warn",
      startUs: 1,
      durationUs: null,
      error: null,
      detail: { level: "warn", message: "m", fields: {} },
    },
  ],
});

type Changes = Readonly<Record<string, readonly unknown[]>>;
type Node = Record<string, unknown>;

/** The value with that member changed; `a.0.b` goes through lists too, and undefined removes a member. */
function changed(value: unknown, path: string, member: unknown): unknown {
  const copy = structuredClone(value) as Node;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = keys.reduce<Node>((node, key) => node[key] as Node, copy);
  if (member === undefined) delete holder[last];
  else holder[last] = member;
  return copy;
}

/** Each single change makes a line of that kind `other`, or leaves its kind. */
function each(kind: string, value: unknown, bad: Changes, good: Changes): void {
  const read = (given: unknown): string => readHistoryLine(JSON.stringify({ v: 1, [kind]: given })).kind;
  assert.equal(read(value), kind);
  for (const [path, members] of Object.entries(bad))
    for (const member of members)
      assert.equal(read(changed(value, path, member)), "other", `${path} ${String(member)}`);
  for (const [path, members] of Object.entries(good))
    for (const member of members) assert.equal(read(changed(value, path, member)), kind, `${path} ${String(member)}`);
}

const noCount = [undefined, null, -1, 1.5, "1", 2 ** 53];
const noTime = noCount.filter((one) => one !== null);
const noText = [undefined, null, 1, ["a"], {}];
const noError = [undefined, 1, [], { name: "E" }, { message: "no" }, { name: 1, message: "no" }];
const noInstance = [undefined, null, 1, "", "a b", "a".repeat(65), "a\n", ["a"]];
const noTexts = [undefined, null, "a", { 0: "a" }, [1], ["a", null]];
const texts = ["", "any text"];

describe("readHistoryLine", () => {
  it("returns what was written as a line", () => {
    assert.deepEqual(readHistoryLine(sessionText(session)), { kind: "session", session });
    assert.deepEqual(readHistoryLine(startText(start)), { kind: "start", start });
    assert.deepEqual(readHistoryLine(runText(JSON.stringify(run), 3)), { kind: "run", run, skipped: 3 });
    for (const skipped of [-1, 1.5, "2", null])
      assert.deepEqual(readHistoryLine(JSON.stringify({ v: 1, run, skipped })), { kind: "run", run, skipped: 0 });
  });

  it("names lines that it does not read: cut, of a later version, or something else", () => {
    const lines: Readonly<Record<string, string>> = {
      '{"v":1,': "cut",
      '{"v":1,"run":{': "cut",
      'x{"v":1,': "other",
      '{"v":1': "other",
      '{"v":2,': "other",
      "": "other",
      '{"v":2}': "newer",
      '{"v":0}': "other",
      '{"v":-1}': "other",
      '{"v":1.5}': "other",
      '{"v":"2"}': "other",
      '{"v":1}': "other",
      "{}": "other",
      "[]": "other",
      null: "other",
      "2": "other",
      '"v"': "other",
    };
    for (const [line, kind] of Object.entries(lines)) assert.deepEqual(readHistoryLine(line), { kind }, line);
  });

  it("reads no session that lacks a member, or has one of another type", () =>
    each(
      "session",
      session,
      {
        instance: noInstance,
        startedAt: noCount,
        app: [undefined, 1, []],
        commit: [undefined, 1, []],
        branch: [undefined, 1, []],
      },
      { instance: ["A", "a".repeat(64)], startedAt: [0], app: [null, ""], commit: [null], branch: [null], more: [1] },
    ));

  it("reads no start that lacks a member, or has one of another type", () =>
    each(
      "start",
      start,
      {
        instance: noInstance,
        startedAt: noCount,
        durationUs: noTime,
        droppedBeans: noCount,
        notBuilt: noTexts,
        chain: noTexts,
        error: noError,
        beans: [undefined, null, {}, [null], [[]]],
        hooks: [undefined, null, {}, [null]],
        "beans.0.bean": noText,
        "beans.0.stereotype": noText,
        "beans.0.parent": [undefined, 1],
        "beans.0.startUs": noCount,
        "beans.0.error": noError,
        "hooks.0.name": noText,
        "hooks.0.startUs": noCount,
        "hooks.0.error": noError,
        "beans.0.durationUs": noTime,
        "beans.0.selfUs": noTime,
        "hooks.0.durationUs": noTime,
      },
      {
        durationUs: [null, 0],
        error: [null],
        beans: [[]],
        hooks: [[]],
        notBuilt: [[]],
        chain: [[]],
        "beans.0.error": [null],
        "beans.0.selfUs": [null, 0],
        "beans.0.parent": [null],
        "beans.0.durationUs": [null],
        "hooks.0.durationUs": [null],
        "hooks.0.error": [null],
      },
    ));

  it("reads no run that lacks a member, or has one of another type", () =>
    each(
      "run",
      run,
      {
        instance: noInstance,
        id: noText,
        sequence: noCount,
        correlationId: [undefined, 1],
        method: noText,
        path: noText,
        route: [undefined, 1],
        status: noCount,
        startedAt: noCount,
        durationUs: noCount,
        aborted: [undefined, null, 0, "no"],
        droppedCalls: noCount,
        droppedLeaves: noCount,
        error: noError,
        "error.causes": [null, {}, [1], [{ name: "E" }]],
        kind: [null, "request", ""],
        contractIssues: [null, {}, [1], [{ pointer: "/a" }], [{ message: "m" }]],
        request: [undefined, null, []],
        response: [undefined, null, []],
        "request.pathParams": [undefined, null, [], { a: 1 }, { a: "b", c: 1 }],
        "request.body": [undefined],
        "request.query": [undefined, null, [], { a: "b" }, { a: [1] }],
        "request.headers": [undefined, null, [], { a: "b" }, { a: [1] }],
        "response.headers": [undefined, null, [], { a: "b" }],
        "response.body": [undefined],
        "response.bytes": noCount,
        calls: [undefined, null, {}, [null]],
        leaves: [undefined, null, {}, [null]],
        "calls.0.id": noCount,
        "calls.0.parentId": [undefined, -1, "0"],
        "calls.0.depth": noCount,
        "calls.0.bean": noText,
        "calls.0.declaredBy": noText,
        "calls.0.method": noText,
        "calls.0.stereotype": noText,
        "calls.0.args": [undefined, null, {}, "a"],
        "calls.0.params": [null, [1]],
        "calls.0.result": [undefined],
        "calls.0.error": noError,
        "calls.0.startUs": noCount,
        "calls.0.durationUs": [undefined, -1, "1"],
        "calls.0.async": [undefined, null, 1],
        "leaves.0.id": noCount,
        "leaves.0.parentId": [undefined, -1],
        "leaves.0.kind": [...noText, "http", "constructor", "later"],
        "leaves.0.detail.statement": noText,
        "leaves.0.detail.rows": noTime,
        "leaves.1.detail.fields": [undefined, null, []],
        "leaves.0.name": noText,
        "leaves.0.detail": [undefined, null, [], "a"],
        "leaves.0.error": noError,
        "leaves.0.startUs": noCount,
        "leaves.0.durationUs": [undefined, -1, "1"],
      },
      {
        correlationId: [null, ...texts],
        route: [null, ...texts],
        error: [null],
        "error.causes": [undefined, []],
        kind: [undefined, "trace", "background", "websocket"],
        contractIssues: [undefined, []],
        "request.body": [null, 0],
        "response.body": [null, "a"],
        calls: [[]],
        leaves: [[]],
        "calls.0.parentId": [null, 0],
        "calls.0.params": [undefined, []],
        "calls.0.error": [null],
        aborted: [true],
        "calls.0.result": [null, 0],
        "leaves.0.error": [null],
        "leaves.0.parentId": [null],
      },
    ));
});
