/**
 * Each kind of finding on the smallest run that has it, and none on one that does not. Also the first difference between two
 * runs, and the origin of a value.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Json, Leaf, LogDetail, Trace } from "../shapes.ts";
import { divergences } from "../compare/divergence.ts";
import { explain } from "./explain.ts";
import type { FindingKind } from "./findings.ts";
import { occurrencesOf } from "../origin.ts";
import { sqlOf } from "../traces.testkit.ts";

const ms = 1_000;

/** A call of `Bean.method` from one millisecond to another. */
function call(
  id: number,
  parentId: number | null,
  name: string,
  more: Partial<Call> & { at?: [number, number] } = {},
): Call {
  const [bean = "", method = ""] = name.split(".");
  const { at: [from, to] = [id, 40 - id], ...given } = more;
  const usual = {
    depth: parentId === null ? 0 : 1,
    declaredBy: bean,
    stereotype: "service",
    args: [],
    result: null,
  } as const;
  const times = { startUs: from * ms, durationUs: (to - from) * ms, async: true };
  return { ...usual, ...times, id, parentId, bean, method, error: null, ...given };
}

const sql = (
  id: number,
  parentId: number,
  statement: string,
  more: Partial<Leaf> & { given?: Json[]; result?: Json } = {},
): Leaf => {
  const { given = [], result, ...rest } = more;
  const detail = {
    system: "sqlite",
    statement,
    parameters: given,
    rows: 1,
    ...(result === undefined ? {} : { result }),
  };
  return { ...sqlOf(id, parentId, statement), detail, startUs: 5 * ms, durationUs: 10, ...rest } as Leaf;
};

const log = (id: number, parentId: number | null, level: string, message: string): Leaf => {
  const detail: LogDetail = { level, message, fields: {} };
  return { id, parentId, kind: "log", name: level, detail, error: null, startUs: 1, durationUs: 0 };
};

function run(calls: readonly Call[], more: Partial<Trace> = {}): Trace {
  return {
    instance: "i",
    id: "r",
    sequence: 1,
    correlationId: null,
    method: "GET",
    path: "/orders/7",
    route: "/orders/{id}",
    status: 200,
    startedAt: 0,
    durationUs: 41 * ms,
    aborted: false,
    calls,
    droppedCalls: 0,
    leaves: [],
    droppedLeaves: 0,
    request: { pathParams: { id: "7" }, query: {}, headers: {}, body: null },
    response: { headers: {}, body: null, bytes: 0 },
    error: null,
    ...more,
  };
}

/** The findings of some kinds, each as `call: message`. */
function found(trace: Trace, kinds: readonly FindingKind[], good?: Trace): readonly string[] {
  return explain(trace, good)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ call: about, message }) => `${about === null ? "-" : about.bean}: ${message}`);
}

const place = { name: "Rows.row", file: "src/rows.ts", line: 12, column: 3, own: true };
const excerpt = { file: "src/rows.ts", line: 12, from: 11, lines: ["{", "  throw new RangeError();", "}"] };
const error = { name: "RangeError", message: "too far" };

describe("explain", () => {
  it("reports only the time of a short run without problems", () => {
    const calls = [call(0, null, "Web.show", { at: [0, 0.1] }), call(1, 0, "Rows.row", { at: [0, 0.05] })];
    const detail = { method: "GET", url: "/a", status: 200 };
    const http = { ...log(2, 1, "info", "all is well"), kind: "http", detail } as unknown as Leaf;
    const leaves = [log(0, 1, "info", "all is well"), { ...sql(1, 1, "select 1"), startUs: 1 }, http];
    const findings = explain(run(calls, { leaves, durationUs: 200 }));
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ["critical-path"],
    );
  });

  it("reports where the run's error began, with the line that threw and its code", () => {
    const thrown = { ...error, stack: [{ ...place, own: false, line: 1 }, place], excerpt };
    const trace = run([call(0, null, "Web.show", { error }), call(1, 0, "Rows.row", { error: thrown })], {
      status: 500,
      error,
    });
    const [first] = explain(trace);
    assert.deepEqual(
      [first?.kind, first?.call?.id, first?.frame, first?.code, first?.message],
      ["error", 1, place, "throw new RangeError();", "RangeError: too far was thrown in Rows.row"],
    );
    assert.deepEqual(found(run([], { status: 500, error }), ["error"]), [
      "-: RangeError: too far was thrown outside of recorded calls",
    ]);
  });

  it("finds the call that failed by name and message, and where it began among calls with other errors", () => {
    const frame = { ...place, line: 99 };
    const calls = [
      call(0, null, "Log.add", { error: { ...error, message: "other" } }),
      call(1, null, "Mail.send", { error: { ...error, name: "Other" } }),
      call(2, null, "Web.show", { error }),
      call(3, 2, "Rows.all"),
      call(4, 2, "Rows.one", { error: { ...error, message: "other" } }),
      call(5, 2, "Rows.two", { error: { ...error, name: "Other" } }),
      call(6, 2, "Rows.row", { error: { ...error, stack: [frame], excerpt: { ...excerpt, line: 20 } } }),
    ];
    const [first] = explain(run(calls, { status: 500, error }));
    assert.deepEqual(
      [first?.message, first?.frame, first?.code],
      ["RangeError: too far was thrown in Rows.row", frame, null],
    );
    const none = explain(run([call(0, null, "Web.show", { error })], { status: 500, error }))[0];
    assert.deepEqual([none?.call?.bean, none?.frame, none?.code], ["Web", null, null]);
  });

  it("reads pointers as written, and reports a missing value only as missing", () => {
    const body = { "a/b": { "c~d": 5 }, text: "xy", nothing: null, flag: true };
    const said = (pointer: string, calls: readonly Call[] = []): string =>
      found(run(calls, { contractIssues: [{ pointer, message: "bad" }], response: { headers: {}, body, bytes: 1 } }), [
        "contract",
      ])[0]?.replace(/ of the response breaks the contract: bad/, "") ?? "";
    assert.deepEqual(
      ["/a~1b/c~0d", "/text/length", "/nothing/x", "/nothing", "/toString", "/flag/x"].map((pointer) => said(pointer)),
      [
        "-: /a~1b/c~0d, it is 5",
        "-: /text/length",
        "-: /nothing/x",
        "-: /nothing, it is null",
        "-: /toString",
        "-: /flag/x",
      ],
    );
    const calls = [
      call(0, null, "A.a", { args: [{ text: "xy" }], result: { other: "xy" }, at: [0, 5] }),
      call(1, null, "B.b", { args: ["xy"], result: { text: "xyz" }, at: [0, 1] }),
      call(2, null, "C.c", { result: { text: "xy" }, at: [6, 9] }),
      call(3, null, "D.d", { result: { nothing: null }, at: [6, 12] }),
      call(4, null, "E.e", { result: null, at: [6, 20] }),
      call(5, null, "F.f", { result: "nullable", at: [0, 1] }),
    ];
    assert.equal(said("/text", calls), 'C: /text, it is "xy"; C.c is the first call that returned it');
    assert.equal(said("/text", calls.slice(0, 2)), 'A: /text, it is "xy"; A.a is the first call that returned it');
    assert.equal(said("/nothing", calls), "D: /nothing, it is null; D.d is the first call that returned it");
  });

  it("reports an object that breaks the contract, or lacks a value, at the innermost call that first returned it", () => {
    const body = { lines: [{ price: 9 }], more: 1 };
    const said = (pointer: string, calls: readonly Call[]): string | undefined =>
      explain(
        run(calls, { contractIssues: [{ pointer, message: "bad" }], response: { headers: {}, body, bytes: 1 } }),
      ).find(({ kind }) => kind === "contract")?.call?.bean;
    const calls = [
      call(0, null, "Web.show", { result: body, at: [0, 20], depth: 0 }),
      call(1, 0, "List.all", { result: [{ price: 9 }], at: [1, 9], depth: 1 }),
      call(2, 1, "Rows.row", { result: { price: 9 }, at: [2, 9], depth: 2 }),
      call(3, 1, "Odd.row", { result: { price: 9 }, error, at: [2, 3], depth: 2 }),
      call(4, 0, "Late.row", { result: { price: 9 }, at: [10, 12], depth: 3 }),
    ];
    assert.deepEqual(
      ["/lines/0", "/lines/0/name", "/lines", "/name", "/other/name"].map((pointer) => said(pointer, calls)),
      ["Rows", "Rows", "List", "Web", undefined],
    );
  });

  it("names that call for a response that was not sent, and leaves the framework's error out", () => {
    const calls = [
      call(0, null, "Web.show", { result: { lines: [{ price: "9" }] } }),
      call(1, 0, "Prices.of", { result: { price: "9" } }),
    ];
    const contractIssues = [{ pointer: "/lines/0/price", message: "must be number" }];
    const response = { headers: {}, body: { status: 500 }, bytes: 1 };
    assert.deepEqual(found(run(calls, { contractIssues, response, status: 500, error }), ["error", "contract"]), [
      'Prices: /lines/0/price of the response breaks the contract: must be number, it is "9"; Prices.of is the first call that returned it',
    ]);
  });

  it("names the first call that returned a value that breaks the contract", () => {
    const calls = [
      call(0, null, "Web.show", { result: { lines: [{ price: "9" }] } }),
      call(1, 0, "Prices.of", { result: { price: "9" } }),
      call(2, 0, "Rows.row", { result: { other: "9" }, at: [2, 3] }),
    ];
    const contractIssues = [{ pointer: "/lines/0/price", message: "must be number" }];
    const response = { headers: {}, body: { lines: [{ price: "9" }] }, bytes: 1 };
    assert.deepEqual(found(run(calls, { contractIssues, response }), ["contract"]), [
      'Prices: /lines/0/price of the response breaks the contract: must be number, it is "9"; Prices.of is the first call that returned it',
    ]);
    const missing = [{ pointer: "/lines/0/name", message: "is missing" }];
    assert.deepEqual(found(run(calls, { contractIssues: missing, response }), ["contract"]), [
      "Prices: /lines/0/name of the response breaks the contract: is missing; Prices.of is the first call that returned it",
    ]);
    const whole = [{ pointer: "", message: "no JSON" }];
    assert.deepEqual(found(run([], { contractIssues: whole, response: { ...response, body: "x" } }), ["contract"]), [
      '-: the response breaks the contract: no JSON, it is "x"',
    ]);
  });

  it("reports which call continued after an error of a call or statement below it", () => {
    const trace = run([call(0, null, "Web.show"), call(1, 0, "Rows.row", { error: { ...error, stack: [place] } })], {
      leaves: [{ ...sql(0, 0, "select 1"), error: { name: "Error", message: "locked" } }],
    });
    assert.deepEqual(found(trace, ["swallowed"]), [
      "Web: Rows.row threw RangeError: too far, and Web.show went on without it",
      "Web: sql SELECT failed with Error: locked, and Web.show went on",
    ]);
    assert.equal(explain(trace)[0]?.frame, place);
    const failed = run([call(0, null, "Web.show", { error }), call(1, 0, "Rows.row", { error })], {
      status: 500,
      error,
    });
    assert.deepEqual(found(failed, ["swallowed"]), []);
    assert.deepEqual(found(run([call(0, null, "Web.show", { error })], { status: 404 }), ["swallowed"]), []);
    assert.deepEqual(found(run([call(0, null, "Web.show", { error })]), ["swallowed"]), [
      "Web: Web.show threw RangeError: too far, and the handler went on without it",
    ]);
  });

  it("reports no error with which the call around it, or the run, failed too", () => {
    const failed: Leaf = { ...sql(0, 0, "select 1"), error: { name: "Error", message: "locked" } };
    const outside: Leaf = { ...failed, parentId: null };
    const said = (calls: readonly Call[], more: Partial<Trace>): readonly string[] =>
      found(run(calls, more), ["swallowed"]);
    const other = { name: "E", message: "e" };
    assert.deepEqual(
      said([call(0, null, "Web.show", { error: other })], { leaves: [failed], error: other, status: 500 }),
      [],
    );
    assert.deepEqual(said([call(0, null, "Web.show")], { leaves: [outside], error: other, status: 500 }), []);
    assert.deepEqual(said([], { leaves: [outside, sql(1, 0, "select 1")] }), [
      "-: sql SELECT failed with Error: locked, and the handler went on",
    ]);
    assert.equal(said([call(0, null, "Web.show")], { leaves: [failed], error: other, status: 500 }).length, 1);
    const caught = [call(0, null, "Web.show"), call(1, 0, "Rows.row", { error })];
    assert.equal(said(caught, { error: other, status: 500 }).length, 1);
    const threw = [call(0, null, "Web.show", { error })];
    assert.deepEqual([said(threw, { status: 400 }), said(threw, { error: other })], [[], []]);
    assert.equal(said(threw, { status: 399 }).length, 1);
  });

  it("has the place at which a swallowed error began, which the call that passed it on does not know", () => {
    const calls = [
      call(0, null, "Web.show"),
      call(1, 0, "List.all", { error }),
      call(2, 1, "Rows.row", { error: { ...error, stack: [place] } }),
    ];
    const [first] = explain(run(calls));
    assert.deepEqual(
      [first?.message, first?.frame],
      ["List.all threw RangeError: too far, and Web.show went on without it", place],
    );
  });

  it("reports which call did not wait for one that it made", () => {
    const calls = [
      call(0, null, "Web.show", { at: [0, 10] }),
      call(1, 0, "Mail.send", { durationUs: null }),
      call(2, 0, "Log.add", { at: [2, 14] }),
    ];
    assert.deepEqual(found(run(calls), ["unfinished"]), [
      "Web: Mail.send had not settled when Web.show was done: it was not waited for",
      "Web: Log.add ended 4.00 ms after Web.show, which did not wait for it",
    ]);
    assert.deepEqual(
      found(run([call(0, null, "Web.show", { durationUs: null }), call(1, 0, "A.b", { durationUs: null })]), [
        "unfinished",
      ]),
      ["Web: Web.show had not settled when the handler was done: it was not waited for"],
    );
  });

  it("reports which call ran when the client left, which its handler may well have waited for", () => {
    const calls = [
      call(0, null, "Web.show", { durationUs: null }),
      call(1, 0, "Rows.row", { durationUs: null }),
      call(2, null, "Mail.send", { at: [0, 45] }),
      call(3, null, "Log.add", { at: [0, 10] }),
      call(4, 3, "Disk.write", { durationUs: null }),
    ];
    assert.deepEqual(found(run(calls, { aborted: true, status: 499 }), ["unfinished"]), [
      "Web: the client left while Web.show ran",
      "Mail: the client left while Mail.send ran",
      "Log: Disk.write had not settled when Log.add was done: it was not waited for",
    ]);
  });

  it("reports no call that ended after the run if the one around it still ran", () => {
    const calls = [call(0, null, "Web.show", { durationUs: null }), call(1, 0, "Rows.row", { at: [1, 60] })];
    assert.deepEqual(found(run(calls), ["unfinished"]), [
      "Web: Web.show had not settled when the handler was done: it was not waited for",
    ]);
  });

  it("reports no call that is not async, or hardly later than the one around it", () => {
    const late = (more: Partial<Call>): number =>
      found(run([call(0, null, "Web.show", { at: [0, 10] }), call(1, 0, "Log.add", { startUs: 0, ...more })]), [
        "unfinished",
      ]).length;
    assert.deepEqual(
      [
        late({ durationUs: 10 * ms + 50 }),
        late({ durationUs: 10 * ms + 51 }),
        late({ durationUs: 20 * ms, async: false }),
        late({ durationUs: null, async: false }),
        late({ durationUs: null, async: false, startUs: 20 * ms }),
      ],
      [0, 1, 0, 0, 0],
    );
  });

  it("names warnings and errors of the log, and requests that another service rejected", () => {
    const detail = {
      method: "POST",
      url: "http://ship/",
      status: 422,
      requestHeaders: {},
      responseHeaders: {},
      run: null,
    };
    const http: Leaf = {
      id: 3,
      parentId: 0,
      kind: "http",
      name: "POST ship",
      detail,
      error: null,
      startUs: 1,
      durationUs: 1,
    };
    const leaves = [log(0, 0, "warn", "slow\n  day"), log(1, null, "error", "no"), log(2, 0, "info", "well"), http];
    const asked = (status: number | null): Leaf => ({ ...http, detail: { ...detail, status } }) as Leaf;
    const quiet = [
      asked(399),
      asked(null),
      log(4, 0, "prewarn", "x"),
      { ...http, kind: "span", detail: { level: "warn" } } as unknown as Leaf,
    ];
    assert.deepEqual(found(run([], { leaves: quiet }), ["logged", "failed-request"]), []);
    assert.deepEqual(found(run([], { leaves: [asked(400)] }), ["failed-request"]), [
      "-: the handler got 400 from POST http://ship/",
    ]);
    assert.deepEqual(found(run([call(0, null, "Web.show")], { leaves }), ["logged", "failed-request"]), [
      'Web: Web.show logged warn: "slow day"',
      '-: the handler logged error: "no"',
      "Web: Web.show got 422 from POST http://ship/",
    ]);
  });

  it("reports similar statements at the innermost call around them all", () => {
    const calls = [call(0, null, "Web.list"), ...[1, 2, 3].map((id) => call(id, 0, "Rows.row", { args: [id] }))];
    const leaves = [1, 2, 3].map((id) => sql(id, id, `select * from rows where id = ${id}`));
    assert.deepEqual(found(run(calls, { leaves }), ["repeated-statement"]), [
      'Web: Web.list sends 3 similar statements; those after the first took 20 µs: "select * from rows where id = 1"',
    ]);
  });

  it("reports equal calls at the call that makes them", () => {
    const calls = [
      call(0, null, "Web.list"),
      ...[1, 2].map((id) => call(id, 0, "Rows.row", { args: ["same"], at: [id, id + 1] })),
    ];
    assert.deepEqual(found(run(calls), ["repeated-call"]), [
      "Web: Web.list makes 2 equal calls of Rows.row; those after the first took 1.00 ms",
    ]);
  });

  it("names calls in a row that take no result of each other, and none that needs the one before", () => {
    const calls = [
      call(0, null, "Web.page", { at: [0, 40] }),
      call(1, 0, "Stock.of", { at: [1, 11], result: "stock-1", args: ["p"] }),
      call(2, 0, "Price.of", { at: [11, 21], result: "price-1", args: ["p"] }),
    ];
    assert.deepEqual(found(run(calls), ["sequence"]), [
      "Web: Web.page makes 2 calls one after another, and none takes what another returned: Stock.of 10.0 ms, Price.of 10.0 ms",
    ]);
    const needed = calls.with(2, { ...calls[2], args: ["stock-1"] } as Call);
    assert.deepEqual(found(run(needed), ["sequence"]), []);
    const beside = calls.with(2, call(2, 0, "Price.of", { at: [2, 20] }));
    assert.deepEqual(found(run(beside), ["sequence"]), []);
  });

  it("names slow statements, calls with much own time, and the critical path", () => {
    const calls = [call(0, null, "Web.show", { at: [0, 40] }), call(1, 0, "Rows.row", { at: [1, 11] })];
    const trace = run(calls, { leaves: [sql(0, 1, "select 1", { durationUs: 9 * ms })] });
    assert.deepEqual(found(trace, ["slow", "own-time", "critical-path"]), [
      'Rows: SQL below Rows.row took 9.00 ms, 22 % of the run: "select 1"',
      "Web: Web.show took 30.0 ms itself, in nothing that it called",
      "Web: the critical path by own time: Web.show 30.0 ms → Rows.row 10.0 ms",
    ]);
    assert.deepEqual(found(run([call(0, null, "Web.show", { at: [0, 1] })]), ["own-time"]), [
      "-: 40.0 ms were outside of recorded calls: the handler, middleware, the response",
    ]);
  });

  it("ends for calls in a circle", () => {
    const calls = [call(0, 1, "A.a", { error }), call(1, 0, "B.b", { error })];
    const leaves = [1, 2, 3].map((id) => sql(id, 1, "select 1"));
    const kinds = explain(run(calls, { leaves, status: 500, error })).map(({ kind }) => kind);
    assert.ok(kinds.includes("error") && kinds.includes("repeated-statement"), kinds.join());
  });

  it("reports what was not recorded", () => {
    assert.deepEqual(found(run([], { droppedCalls: 2, droppedLeaves: 1 }), ["dropped"]), [
      "-: 2 calls not recorded: the bound was reached, or the run was over when they began",
      "-: not recorded below the calls: 1 thing",
    ]);
  });

  it("reports nothing for an unremarkable run", () => {
    assert.deepEqual(explain(run([], { durationUs: 100 })), []);
  });
});

describe("explain, compared with a run that worked", () => {
  const good = run([
    call(0, null, "Web.show", { args: [{ $context: "GET /orders/7" }], result: { total: 90 }, at: [0, 40] }),
    call(1, 0, "Orders.find", { args: ["7"], result: { id: "7", list: 100 }, at: [1, 10] }),
    call(2, 0, "Prices.total", { args: [100], result: 90, at: [11, 20] }),
  ]);
  const change = (id: number, more: Partial<Call>): Trace =>
    run(good.calls.map((one) => (one.id === id ? { ...one, ...more } : one)));

  it("reports another result at the call that made it, not at those that pass it on", () => {
    const bad = run(
      change(2, { result: 95 }).calls.with(0, { ...change(2, {}).calls[0], result: { total: 95 } } as Call),
    );
    assert.deepEqual(found(bad, ["difference"], good), [
      "Prices: Prices.total returns another result for the same arguments: result was 90, is 95",
    ]);
  });

  it("writes dates and objects of classes without the marks of the recording", () => {
    const at = (day: number, cents: number): Partial<Call> => ({
      result: { at: { $date: `2026-01-0${day}T00:00:00.000Z` }, sum: [{ $class: "Money", cents }] },
    });
    assert.deepEqual(found(change(2, at(2, 5)), ["difference"], change(2, at(1, 5))), [
      'Prices: Prices.total returns another result for the same arguments: result.at was "2026-01-01T00:00:00.000Z", is "2026-01-02T00:00:00.000Z"',
    ]);
    const gone = change(2, { result: { at: 1 } });
    assert.deepEqual(
      found(gone, ["difference"], change(2, { result: { at: 1, sum: { $class: "Money", cents: 5 } } })),
      ['Prices: Prices.total returns another result for the same arguments: result.sum is gone, it was {"cents":5}'],
    );
  });

  it("reports other arguments at the call that gave them", () => {
    const bad = run(change(2, { args: [99], result: 89 }).calls);
    assert.deepEqual(found(bad, ["difference"], good), [
      "Web: Web.show gives Prices.total other arguments: args[0] was 100, is 99",
    ]);
    assert.deepEqual(
      divergences(good, bad).map(({ kind, isExpected }) => [kind, isExpected]),
      [
        ["arguments", false],
        ["result", true],
      ],
    );
  });

  it("names calls that are new, and calls that are missing", () => {
    const more = run([...good.calls, call(3, 0, "Mail.send", { at: [20, 30] })]);
    assert.deepEqual(found(more, ["difference"], good), [
      "Web: Web.show calls Mail.send, which the run that worked did not",
    ]);
    assert.deepEqual(found(good, ["difference"], more), [
      "Web: Web.show does not call Mail.send, which the run that worked did",
    ]);
    assert.deepEqual(found(run([]), ["difference"], good), [
      "-: the handler does not call Web.show, which the run that worked did",
    ]);
  });

  it("separates another statement, which code sends, from other rows, which the database gives", () => {
    const sent = (statement: string, result: Json): Trace =>
      run(good.calls, { leaves: [sql(0, 1, statement, { given: ["7"], result })] });
    const before = sent("select a", [{ a: 1 }]);
    assert.deepEqual(found(sent("select b", [{ a: 1 }]), ["difference"], before), [
      'Orders: Orders.find sends another statement: statement was "select a", is "select b"',
    ]);
    assert.deepEqual(found(sent("select a", [{ a: 2 }]), ["difference"], before), [
      "Orders: the database gives Orders.find other rows: result[0].a was 1, is 2",
    ]);
  });

  it("reports what is new, what is gone and how much more differs, for at most five differences", () => {
    const bad = run(
      change(2, { result: { n: 33 } }).calls.with(1, {
        ...change(1, { result: { id: "8", more: 1 } }).calls[1],
      } as Call),
    );
    assert.deepEqual(found(bad, ["difference"], good), [
      'Orders: Orders.find returns another result for the same arguments: result.id was "7", is "8" and 2 more differences',
      'Prices: Prices.total returns another result for the same arguments: result was 90, is {"n":33}',
    ]);
    const fields = (result: Json): Trace => change(1, { result });
    assert.deepEqual(
      [fields({ id: "7", list: 100, more: [1] }), fields({ id: "7" })].map(
        (one) => found(one, ["difference"], good)[0],
      ),
      [
        "Orders: Orders.find returns another result for the same arguments: result.more is new, [1]",
        "Orders: Orders.find returns another result for the same arguments: result.list is gone, it was 100",
      ],
    );
    const many = (n: number): Trace =>
      run(Array.from({ length: 7 }, (_, id) => call(id, null, `B${id}.b`, { result: n + id })));
    assert.equal(found(many(100), ["difference"], many(1)).length, 5);
  });

  it("is seen at the statement that differs", () => {
    const sent = (result: Json): Trace => run(good.calls, { leaves: [sql(7, 1, "select a", { result })] });
    const [first] = explain(sent(1), sent(2)).filter(({ kind }) => kind === "difference");
    assert.equal(first?.leafId, 7);
  });

  it("reports nothing for an equal run", () => {
    assert.deepEqual(found(good, ["difference"], good), []);
  });
});

describe("occurrencesOf", () => {
  it("returns the places of a value in order of time, its origin first", () => {
    const calls = [
      call(0, null, "Web.show", { args: ["7"], params: ["id"], result: { total: 4_711 }, at: [0, 40] }),
      call(1, 0, "Rows.row", { result: { sum: 4_711 }, at: [1, 10] }),
      call(2, 0, "Mail.send", {
        args: [{ text: "you pay 4711" }],
        error: { name: "Error", message: "4711 is too much" },
        at: [11, 12],
      }),
    ];
    const trace = run(calls, {
      leaves: [
        sql(0, 1, "select 1", { given: [1], result: [{ sum: 4_711 }], startUs: 2 * ms }),
        log(1, 2, "warn", "4711"),
      ],
      response: { headers: {}, body: { total: 4_711 }, bytes: 1 },
    });
    assert.deepEqual(
      occurrencesOf(trace, "4711").map(({ part, call: at, path }) => `${part} ${at?.bean ?? "-"} ${path}`),
      [
        "leaf Mail $.message",
        "rows Rows $[0].sum",
        "result Rows $.sum",
        "argument Mail args[0].text",
        "error Mail $.message",
        "result Web $.total",
        "response - $.body.total",
      ],
    );
    // A number is found only as a whole, a text also in parts.
    assert.deepEqual(
      occurrencesOf(trace, "471").map(({ part }) => part),
      ["leaf", "argument", "error"],
    );
    const [first] = occurrencesOf(trace, "7");
    assert.deepEqual([first?.part, first?.path, first?.value], ["request", "$.params.id", "7"]);
  });
});
