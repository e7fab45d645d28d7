/** Views: an agent's view of a run, of its lines and of one call, text by text. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOf, runOf as traceOf } from "../../run/search/runs.testkit.ts";
import type { Call, ErrorInfo, Leaf, Trace } from "../../run/shapes.ts";
import { detailOf, errorText, leafOf, linesOf, Places, runOf, summaryOf } from "./views.ts";

const thrown: ErrorInfo = {
  name: "TypeError",
  message: "x is no function",
  causes: [{ name: "RangeError", message: "too far" }],
  stack: [
    { name: "Stock.take", file: "src/stock.ts", line: 12, column: 3, own: true },
    { name: "", file: "src/web.ts", line: 4, column: 1, own: true },
    { name: "next", file: "node_modules/x.js", line: 1, column: 1, own: false },
  ],
  excerpt: { file: "src/stock.ts", line: 12, from: 11, lines: ["take() {", "  x();"] },
};

const times = { startUs: 10, durationUs: 5, error: null } as const;
const sql: Extract<Leaf, { readonly kind: "sql" }> = {
  ...times,
  id: 0,
  parentId: 1,
  kind: "sql",
  name: "update",
  detail: { system: "pg", statement: "update stock", parameters: [1, "a"], rows: 2, result: [{ left: 3 }] },
};
const log: Leaf = {
  ...times,
  id: 1,
  parentId: 1,
  kind: "log",
  name: "warn",
  detail: { level: "warn", message: "low", fields: {} },
};
const failed: Leaf = {
  ...times,
  id: 2,
  parentId: 2,
  kind: "sql",
  name: "select",
  error: { name: "Error", message: "no table" },
  detail: { system: "pg", statement: "select 1", parameters: [], rows: null },
};

const trace: Trace = traceOf({
  calls: [
    callOf(0, "Web", "get", { durationUs: 4_000 }),
    callOf(1, "Stock", "find", { args: [7, "x"], params: ["id", ""], result: { left: 3 } }),
    callOf(2, "Stock", "take", { error: thrown }),
    callOf(3, "Mailer", "send", { durationUs: null }),
  ],
  leaves: [sql, log, failed],
  contractIssues: [
    { pointer: "", message: "is no list" },
    { pointer: "/total", message: "is no number" },
  ],
  error: thrown,
});

const places = new Places([
  { bean: "Stock", method: "find", file: "src/stock.ts", line: 8 },
  { bean: "Stock", method: "take", file: "src/stock.ts", line: 11 },
  { bean: "StockRoom", method: "open", file: "src/room.ts", line: 1 },
]);

const callNamed = (id: number): Call => trace.calls[id] ?? assert.fail(`${id}`);

describe("runOf", () => {
  it("is a run in brief, with a path of at most 500 characters", () => {
    const { id, path, ...rest } = runOf({ ...trace, path: "/".padEnd(600, "x") });
    assert.deepEqual([id, path.length, path.at(-1)], ["b7a1.1", 500, "…"]);
    const expected = { method: "GET", route: "/orders/{id}", status: 200, durationUs: 12_000 };
    assert.deepEqual(rest, { ...expected, startedAt: "2025-11-24T16:00:00.000Z" });
  });
});

describe("Places", () => {
  it("has the place of a method, and null if it is unknown", () => {
    assert.deepEqual(
      [places.of({ bean: "Stock", method: "find" }), places.of({ bean: "Web", method: "get" })],
      ["src/stock.ts:8", null],
    );
    assert.deepEqual(places.call(callNamed(1)), { id: 1, name: "Stock.find", at: "src/stock.ts:8" });
  });

  it("lists the methods of one bean, and none of another with the same beginning", () => {
    assert.deepEqual(places.methodsOf("Stock"), [
      { name: "find", at: "src/stock.ts:8" },
      { name: "take", at: "src/stock.ts:11" },
    ]);
    assert.deepEqual(places.methodsOf("Web"), []);
  });
});

describe("errorText", () => {
  it("names an error and its cause, in at most 1,000 characters", () => {
    assert.equal(errorText(null), null);
    assert.equal(errorText({ name: "Error", message: "no" }), "Error: no");
    assert.equal(errorText(thrown), "TypeError: x is no function; caused by RangeError: too far");
    assert.equal(errorText({ name: "Error", message: "x".repeat(2_000) })?.length, 1_000);
  });
});

describe("summaryOf", () => {
  it("has each part of the request and of the response, in this many characters", () => {
    assert.deepEqual(summaryOf(trace, 100), {
      query: "{}",
      params: '{id: "7"}',
      requestHeaders: '{accept: ["application/json"]}',
      requestBody: "null",
      responseHeaders: '{content-type: ["application/json"]}',
      responseBody: "{id: 7, total: 120}",
      did: "4 calls · 2 SQL 5 µs · 1 log line",
      error: "TypeError: x is no function; caused by RangeError: too far",
      contractIssues: ["the response: is no list", "/total: is no number"],
    });
    const { contractIssues, ...plain } = trace;
    assert.equal(contractIssues?.length, 2);
    const short = summaryOf({ ...plain, error: null }, 10);
    assert.deepEqual([short.error, short.contractIssues], [null, []]);
    assert.ok(short.responseBody.length <= 10, short.responseBody);
    const [long] = summaryOf(
      { ...trace, contractIssues: [{ pointer: "/a", message: "x".repeat(400) }] },
      9,
    ).contractIssues;
    assert.equal(long?.length, 300);
  });
});

describe("linesOf", () => {
  it("has calls and leaves in their order, with their arguments and results", () => {
    assert.deepEqual(
      linesOf(trace).map(({ id, in: around, kind, text, totalUs }) => [id, around, kind, text, totalUs]),
      [
        [0, null, "call", "Web.get() → null", 4_000],
        [1, 0, "call", 'Stock.find(7, "x") → {left: 3}', 1_000],
        [0, 1, "sql", 'update stock [1, "a"] → 2 rows [{left: 3}]', 5],
        [1, 1, "log", "low → warn", 5],
        [2, 0, "call", "Stock.take() → threw TypeError: x is no function", 1_000],
        [2, 2, "sql", "select 1 → failed with Error: no table", 5],
        [3, 0, "call", "Mailer.send() → has not settled", null],
      ],
    );
  });

  it("has the own time of each call, whether it is on the critical path, and its equal calls", () => {
    const calls = [
      callOf(0, "Web", "get", { durationUs: 4_000 }),
      ...[1, 2].map((id) => callOf(id, "Stock", "find", { args: [7], startUs: id * 1_000 })),
    ];
    assert.deepEqual(linesOf({ ...trace, calls, leaves: [] }), [
      { id: 0, in: null, kind: "call", text: "Web.get() → null", totalUs: 4_000, selfUs: 2_000, critical: true },
      ...[1, 2].map((id) => ({
        id,
        in: 0,
        kind: "call",
        text: `Stock.find(7) (${id} of 2 equal) → null`,
        totalUs: 1e3,
        selfUs: 1e3,
        critical: true,
      })),
    ]);
  });

  it("says that a call after one that threw is another attempt, not an equal call", () => {
    const error = { name: "Error", message: "busy" };
    const calls = [
      callOf(0, "Web", "get", { durationUs: 4_000 }),
      ...[1, 2].map((id) =>
        callOf(id, "Stock", "find", { args: [7], startUs: id * 1_000, error: id === 1 ? error : null }),
      ),
    ];
    assert.deepEqual(
      linesOf({ ...trace, calls, leaves: [] })
        .slice(1)
        .map(({ text }) => text),
      ["Stock.find(7) (attempt 1 of 2) → threw Error: busy", "Stock.find(7) (attempt 2 of 2) → null"],
    );
  });

  it("cuts long texts: an argument, a message, a line", () => {
    const call = callOf(0, "Web", "get", {
      args: Array.from({ length: 9 }, () => "x".repeat(500)),
      error: { name: "Error", message: "y".repeat(500) },
    });
    const [line] = linesOf({ ...trace, calls: [call], leaves: [] });
    assert.equal(line?.text.length, 600);
    const [one] = linesOf({ ...trace, calls: [{ ...call, args: ["x".repeat(500)] }], leaves: [] });
    assert.equal(one?.text.length, "Web.get() → threw ".length + 120 + 200);
  });
});

describe("leafOf", () => {
  it("has the operation, its input and its result, each in this many characters", () => {
    assert.deepEqual(leafOf(sql, 100), {
      id: 0,
      kind: "sql",
      text: "update stock",
      given: '1, "a"',
      outcome: "2 rows [{left: 3}]",
      totalUs: 5,
    });
    assert.deepEqual(leafOf(log, 100), { id: 1, kind: "log", text: "low", given: "", outcome: "warn", totalUs: 5 });
    assert.equal(leafOf(failed, 100).outcome, "failed with Error: no table");
    const silent: Leaf = { ...failed, error: null };
    assert.equal(leafOf(silent, 100).outcome, "");
    assert.equal(linesOf({ ...trace, leaves: [silent] }).at(-2)?.text, "select 1");
    const { result, ...detail } = sql.detail;
    assert.ok(result);
    assert.equal(leafOf({ ...sql, detail }, 100).outcome, "2 rows");
    assert.equal(leafOf({ ...sql, detail: { ...sql.detail, rows: null } }, 100).outcome, "[{left: 3}]");
    const { text, given, outcome } = leafOf(sql, 4);
    assert.deepEqual([text, given, outcome], ["upd…", "1, …", "2 r…"]);
  });
});

describe("detailOf", () => {
  it("has all facts of a call: around it, below it, its arguments and its result", () => {
    assert.deepEqual(detailOf(trace, callNamed(1), places, 100), {
      id: 1,
      name: "Stock.find",
      at: "src/stock.ts:8",
      in: { id: 0, name: "Web.get", at: null },
      args: [
        { name: "id", value: "7" },
        { name: "1", value: '"x"' },
      ],
      result: "{left: 3}",
      error: null,
      stack: [],
      code: [],
      startUs: 100,
      totalUs: 1e3,
      selfUs: 1e3,
      calls: [],
      leaves: [leafOf(sql, 100), leafOf(log, 100)],
      notShown: 0,
    });
    const { in: around, calls, leaves } = detailOf(trace, callNamed(0), places, 100);
    assert.deepEqual(
      [around, calls.map(({ name }) => name), leaves],
      [null, ["Stock.find", "Stock.take", "Mailer.send"], []],
    );
  });

  it("has the application's own places of an error and the line that threw", () => {
    const { result, error, stack, code } = detailOf(trace, callNamed(2), places, 100);
    assert.deepEqual([result, error], ["", "TypeError: x is no function; caused by RangeError: too far"]);
    assert.deepEqual(stack, ["Stock.take src/stock.ts:12:3", "src/web.ts:4:1"]);
    assert.deepEqual(code, ["  11 take() {", "> 12   x();"]);
    const [frame = assert.fail()] = thrown.stack ?? [];
    const deep = { ...callNamed(2), error: { ...thrown, stack: Array.from({ length: 12 }, () => frame) } };
    assert.equal(detailOf(trace, deep, places, 5).stack.length, 10);
    assert.deepEqual(detailOf(trace, deep, places, 5).code, ["  11…", "> 12…"]);
  });
});
