/** Why tools: which run another is compared with, and the content of a difference and a finding. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { MAX_QUERY_CHARS } from "../../run/wire.ts";
import { callOf, runOf } from "../../run/search/runs.testkit.ts";
import type { Json, Trace, AgentComparison, AgentExplanation } from "../../run/shapes.ts";
import { hitOf, keptRuns, Responding } from "./responding.testkit.ts";

let devtools: Responding;
before(async () => void (devtools = await new Responding().start()));
beforeEach(() => void devtools.seen.splice(0));
after(() => devtools.stop());

const startedAt = 1_764_000_000_000;
const wrong = runOf({ instance: "now", sequence: 5, startedAt, status: 500 });
const good = (instance: string, sequence: number, more: Partial<Trace> = {}): Trace =>
  runOf({ instance, sequence, startedAt: startedAt - 1_000 + sequence, ...more });

/** The run that it is compared with, and the runs that were read for it, in order. */
async function explained(trace: Trace, others: readonly Trace[], given: object = {}) {
  const { instance, sequence } = trace;
  devtools.responses = { ...keptRuns([trace, ...others]), ...keptRuns(others) };
  devtools.responses = { ...keptRuns([trace]), ...devtools.responses, sessions: keptRuns([trace])["sessions"] };
  const asked = { id: `${instance}.${sequence}`, ...given };
  const result = await devtools.called<AgentExplanation>("explain_run", asked);
  const read = devtools.seen.filter((path) => path.startsWith("runs/")).map((path) => path.slice("runs/".length));
  return { result, comparedWith: result.comparedWith?.id ?? null, read: read.slice(1) };
}

describe("explain_run", () => {
  it("is compared with the last run before it that worked, of an earlier process first", async () => {
    const others = [good("now", 6), good("now", 4), good("now", 3), good("then", 9), good("then", 8)];
    const { comparedWith, read } = await explained(wrong, others);
    assert.deepEqual([comparedWith, read], ["then.9", ["then.9"]]);
    const [search = ""] = devtools.seen.filter((path) => path.startsWith("search?"));
    const query = new URLSearchParams(search.slice("search?".length));
    assert.deepEqual(Object.fromEntries(query), {
      q: 'route="GET /orders/{id}" path="/orders/7" status<400 -is:broken -is:failed',
      limit: "100",
      cursor: "now.5",
    });
    const ofOne = await explained(wrong, others.slice(0, 3));
    assert.equal(ofOne.comparedWith, "now.4");
    const ofLater = await explained(wrong, [good("now", 6), good("next", 1, { startedAt: startedAt + 1 })]);
    assert.equal(ofLater.comparedWith, null);
  });

  it("is compared with an earlier run, however many have worked since", async () => {
    const since = Array.from({ length: 120 }, (_, at) => good("now", 200 - at));
    const kept = [...since, wrong, good("now", 4)];
    const search = ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
      const asked = new URL(url, devtools.url).searchParams;
      const from = kept.findIndex(({ instance, sequence }) => `${instance}.${sequence}` === asked.get("cursor")) + 1;
      const worked = kept.slice(from).filter(({ status }) => status < 400);
      const hits = worked.slice(0, Number(asked.get("limit"))).map(hitOf);
      response.end(JSON.stringify({ hits, next: null, searched: kept.length, tookUs: 1 }));
    };
    devtools.responses = { ...keptRuns(kept), search };
    const { comparedWith } = await devtools.called<AgentExplanation>("explain_run", { id: "now.5" });
    assert.equal(comparedWith?.id, "now.4");
  });

  it("skips runs of other requests, replays, and deleted ones", async () => {
    const { request } = wrong;
    const others = [
      good("then", 9, { request: { ...request, body: { left: 1 } } }),
      good("then", 8, { request: { ...request, query: { page: ["2"] } } }),
      good("then", 7, { replayOf: { instance: "then", sequence: 1 } as unknown as NonNullable<Trace["replayOf"]> }),
      good("now", 4),
    ];
    const passed = await explained(wrong, others);
    assert.deepEqual([passed.comparedWith, passed.read], ["now.4", ["then.9", "then.8", "then.7", "now.4"]]);
    const many = Array.from({ length: 12 }, (_, at) => good("then", 20 - at));
    const { instance, sequence } = wrong;
    devtools.responses = { ...keptRuns([wrong]), search: keptRuns(many)["search"] };
    devtools.seen.splice(0);
    const none = await devtools.called<AgentExplanation>("explain_run", { id: `${instance}.${sequence}` });
    assert.equal(none.comparedWith, null);
    // Ten of the same request, and ten of its route.
    assert.equal(devtools.seen.filter((path) => path.startsWith("runs/then.")).length, 20);
  });

  it("is not compared if no route took it, and not with the same request if its path is longer than a query may be", async () => {
    const searches = (): number => devtools.seen.filter((path) => path.startsWith("search?")).length;
    const others = [good("then", 9)];
    const unmatched = await explained({ ...wrong, route: null }, others);
    assert.deepEqual([unmatched.comparedWith, searches()], [null, 0]);
    const around = 'route="GET /orders/{id}" path="" status<400 -is:broken -is:failed'.length;
    const longest = "/".padEnd(MAX_QUERY_CHARS - around, "x");
    const long = await explained({ ...wrong, path: longest }, [good("then", 9, { path: longest })]);
    assert.deepEqual([long.comparedWith, searches()], ["then.9", 1]);
    devtools.seen.splice(0);
    const longer = await explained({ ...wrong, path: `${longest}x` }, others);
    // Only the runs of its route are looked through.
    assert.deepEqual([longer.comparedWith, searches()], ["then.9", 1]);
  });

  it("is compared with the named run", async () => {
    const { comparedWith } = await explained(wrong, [good("now", 4), good("now", 3)], { good: "3" });
    assert.equal(comparedWith, "now.3");
  });

  it("names for each finding the call, the line that threw or else the method's, and the code there", async () => {
    const frame = { name: "Stock.take", file: "src/stock.ts", line: 12, column: 3, own: true };
    const excerpt = { file: "src/stock.ts", line: 12, from: 12, lines: ["  x();"] };
    const error = { name: "TypeError", message: "x is no function", stack: [frame], excerpt };
    const calls = [
      callOf(0, "Stock", "take", { error }),
      callOf(1, "Mailer", "send", { durationUs: null, async: true, parentId: null, depth: 0 }),
    ];
    const contractIssues = [{ pointer: "/total", message: "is no number" }];
    devtools.responses = {
      ...keptRuns([{ ...wrong, route: null, calls, error, contractIssues }]),
      sources: [{ bean: "Mailer", method: "send", file: "src/mailer.ts", line: 4 }],
    };
    const { findings } = await devtools.called<AgentExplanation>("explain_run", { id: "now.5" });
    const shown = Object.fromEntries(findings.map(({ kind, call, line, code }) => [kind, { call, line, code }]));
    assert.deepEqual(shown["error"], {
      call: { id: 0, name: "Stock.take", at: null },
      line: "src/stock.ts:12",
      code: "x();",
    });
    const at = "src/mailer.ts:4";
    assert.deepEqual(shown["unfinished"], { call: { id: 1, name: "Mailer.send", at }, line: at, code: null });
    assert.deepEqual(shown["contract"], { call: null, line: null, code: null });
  });

  it("has room for both runs in each page, and the pages together are all findings", async () => {
    const contractIssues = Array.from({ length: 10 }, (_, at) => ({ pointer: `/${at}`, message: "x".repeat(200) }));
    const path = `/${"p".repeat(900)}`;
    devtools.responses = keptRuns([{ ...wrong, path, contractIssues }, good("now", 4, { path })]);
    const asked = { id: "5", good: "4" };
    const { whole, parts } = await devtools.inParts<AgentExplanation>("explain_run", asked, ({ findings }) => findings);
    assert.deepEqual([whole.length >= 10, parts.length > 1, parts.flat()], [true, true, whole]);
  });

  it("accepts a cursor only for the same run and comparison", async () => {
    const contractIssues = Array.from({ length: 10 }, (_, at) => ({ pointer: `/${at}`, message: "x".repeat(400) }));
    const others = [good("now", 4), good("now", 3), { ...wrong, sequence: 2, contractIssues }];
    const { result } = await explained({ ...wrong, contractIssues }, others, { maxChars: 2e3, good: "4" });
    const cursor = result.next ?? assert.fail("all on one page");
    const again = { id: "now.5", good: "4", cursor, maxChars: 2_000 };
    const { findings } = await devtools.called<AgentExplanation>("explain_run", again);
    assert.notDeepEqual(findings[0], result.findings[0]);
    for (const other of [{ good: "3" }, { id: "now.2" }])
      assert.match(
        await devtools.rejected("explain_run", { ...again, ...other }),
        /no cursor of this call of explain_/,
      );
  });
});

describe("compare_runs", () => {
  const find = (result: Json, args: readonly Json[] = [7]) =>
    callOf(0, "Stock", "find", { args, params: ["id"], result });
  const page = callOf(1, "Page", "show", { parentId: null, depth: 0 });
  const ran = (sequence: number, result: Json, body: Json): Trace => ({
    ...good("now", sequence, { calls: [find(result), page] }),
    response: { headers: {}, body, bytes: 1 },
  });

  it("has for each difference the responsible call, and both sides, of which one may be missing", async () => {
    devtools.responses = {
      ...keptRuns([
        ran(1, { left: 3, gone: true }, { total: 1, old: 1 }),
        ran(2, { left: 4, more: "x" }, { total: 2 }),
      ]),
      sources: [{ bean: "Stock", method: "find", file: "src/stock.ts", line: 8 }],
    };
    const { first, differences, response } = await devtools.called<AgentComparison>("compare_runs", { a: "1", b: "2" });
    const sides = [
      { path: "result.left", a: "3", b: "4" },
      { path: "result.more", a: "", b: '"x"' },
      { path: "result.gone", a: "true", b: "" },
    ];
    const by = { id: 0, name: "Stock.find", at: "src/stock.ts:8" };
    assert.deepEqual(differences, [
      { kind: "result", by, seenAt: "Stock.find", differences: sides, isExpected: false },
    ]);
    assert.deepEqual(first, differences[0]);
    assert.deepEqual(response, [
      { path: "body.total", a: "1", b: "2" },
      { path: "body.old", a: "1", b: "" },
    ]);
  });

  it("names five differences of one thing, and no call if the request was another", async () => {
    const seven = (from: number): Json => Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`n${n}`, from + n]));
    const runs = [ran(1, seven(0), seven(0)), ran(2, seven(10), seven(10))];
    devtools.responses = keptRuns(runs);
    const named = await devtools.called<AgentComparison>("compare_runs", { a: "1", b: "2" });
    assert.deepEqual([named.first?.differences.length, named.response.length], [5, 5]);
    const others = runs.map((run, at) => ({ ...run, calls: [find(1, [at])] }));
    devtools.responses = keptRuns(others);
    const { first } = await devtools.called<AgentComparison>("compare_runs", { a: "1", b: "2" });
    assert.deepEqual([first?.by, first?.differences], [null, [{ path: "args[0]", a: "0", b: "1" }]]);
  });

  it("accepts a cursor only for these two runs", async () => {
    // Values that one call passes to the next are left out, so each has separate texts.
    const long = (of: string): Json =>
      Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`n${n}`, `${of}${"x".repeat(200)}`]));
    const calls = (of: number) =>
      [0, 1, 2].map((id) =>
        callOf(id, `Bean${id}`, "find", { parentId: null, depth: 0, result: long(`${of}.${id}.`) }),
      );
    devtools.responses = keptRuns([1, 2, 3].map((n) => good("now", n, { calls: calls(n) })));
    const asked = { a: "1", b: "2", maxChars: 2_000 };
    const { next, differences } = await devtools.called<AgentComparison>("compare_runs", asked);
    const again = { ...asked, cursor: next ?? assert.fail("all on one page") };
    const second = await devtools.called<AgentComparison>("compare_runs", again);
    assert.notDeepEqual(second.differences[0], differences[0]);
    for (const other of [{ a: "3" }, { b: "3" }])
      assert.match(
        await devtools.rejected("compare_runs", { ...again, ...other }),
        /no cursor of this call of compare_/,
      );
  });
});
