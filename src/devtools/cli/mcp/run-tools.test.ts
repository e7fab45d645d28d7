/** Run tools: where a page of runs ends, and what a wait survives. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { callOf, runOf } from "../../run/search/runs.testkit.ts";
import type { AgentAwaited, AgentOccurrences, AgentRuns, AgentRunView, AgentSent } from "../../run/shapes.ts";
import { hitOf, keptRuns, Responding } from "./responding.testkit.ts";
import { notice } from "./tool.ts";

let devtools: Responding;
before(async () => void (devtools = await new Responding().start()));
beforeEach(() => void devtools.seen.splice(0));
after(() => devtools.stop());

const queryOf = (asked = ""): object => Object.fromEntries(new URLSearchParams(asked.slice(asked.indexOf("?") + 1)));

describe("send_request", () => {
  it("returns only the response if devtools have no run of it", async (t) => {
    const application = (_: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(404, { "Content-Type": "text/odd" }).end("plain");
    };
    devtools.responses = { "": application, routes: [], search: { hits: [], next: null, searched: 0, tookUs: 1 } };
    let now = 0;
    t.mock.method(performance, "now", () => (now += 60_000));
    const sent = await devtools.called<AgentSent>("send_request", { method: "get", path: "/orders/7" });
    assert.deepEqual(sent, {
      status: 404,
      contentType: "text/odd",
      body: "plain",
      run: null,
      did: "",
      error: null,
      notice,
    });
  });
});

describe("list_runs", () => {
  const hits = Array.from({ length: 20 }, (_, at) => hitOf(runOf({ instance: "i", sequence: 20 - at })));
  const page = { hits, next: "i.1", searched: 30, tookUs: 1 };

  it("requests 20 by default, and continues after the last run that had room", async () => {
    devtools.responses = { search: page };
    const all = await devtools.called<AgentRuns>("list_runs", {});
    assert.deepEqual([all.runs.length, all.searched, all.next], [20, 30, "i.1"]);
    const part = await devtools.called<AgentRuns>("list_runs", { query: "dur>1ms", limit: 20, maxChars: 2_000 });
    assert.ok(part.runs.length > 0 && part.runs.length < 20);
    assert.equal(part.next, part.runs.at(-1)?.id);
    assert.deepEqual(devtools.seen.map(queryOf), [
      { q: "", limit: "20" },
      { q: "dur>1ms", limit: "20" },
    ]);
    devtools.responses = { search: { ...page, hits: hits.slice(0, 1), next: null } };
    const last = await devtools.called<AgentRuns>("list_runs", { limit: 7, cursor: "a-1.2" });
    assert.deepEqual([last.runs.length, last.next], [1, null]);
    assert.deepEqual(queryOf(devtools.seen[2]), { q: "", limit: "7", cursor: "a-1.2" });
  });

  it("accepts only a complete id of a run as its cursor", async () => {
    devtools.responses = { search: page };
    await devtools.called("list_runs", { cursor: `${"a".repeat(64)}.${"1".repeat(15)}` });
    const none = ["", "i", "i.0", "i.1x", "!i.1", "i.1 ", "i.", `${"a".repeat(65)}.1`, `i.${"1".repeat(16)}`, "i.1xx"];
    for (const cursor of none)
      assert.match(await devtools.rejected("list_runs", { cursor }), / is no cursor of list_runs/);
    const said = await devtools.rejected("list_runs", { cursor: "x".repeat(81) });
    assert.ok(said.startsWith(`"${"x".repeat(80)}" is no cursor`), said);
  });
});

describe("get_run", () => {
  it("names itself if a cursor does not belong to its tree", async () => {
    devtools.responses = keptRuns([runOf({ instance: "i", sequence: 1 })]);
    const said = await devtools.rejected("get_run", { id: "1", view: "tree", cursor: "x" });
    assert.match(said, / is no cursor of this call of get_run: /);
  });

  it("has room for the run in each page of its tree, and the pages together are the whole tree", async () => {
    const calls = Array.from({ length: 30 }, (_, id) => callOf(id, "Orders", `find${id}`));
    devtools.responses = keptRuns([runOf({ instance: "i", sequence: 1, path: `/${"p".repeat(900)}`, calls })]);
    const asked = { id: "1", view: "tree" };
    const { whole, parts } = await devtools.inParts<AgentRunView>("get_run", asked, ({ tree }) => tree);
    assert.deepEqual([whole.length, parts.length > 1, parts.flat()], [30, true, whole]);
  });
});

describe("find_value", () => {
  it("names the call, its place and the path of each", async () => {
    const calls = [callOf(0, "Orders", "find", { args: [{ id: "o-77" }] })];
    devtools.responses = {
      ...keptRuns([runOf({ instance: "i", sequence: 1, calls })]),
      sources: [{ bean: "Orders", method: "find", file: "orders.ts", line: 7 }],
    };
    const { found, first, total } = await devtools.called<AgentOccurrences>("find_value", { id: "1", text: "o-77" });
    assert.deepEqual([total, first], [1, found[0]]);
    assert.deepEqual(found, [
      {
        part: "argument",
        call: { id: 0, name: "Orders.find", at: "orders.ts:7" },
        leaf: null,
        path: "args[0].id",
        value: '"o-77"',
        us: 0,
      },
    ]);
  });

  it("has room for the run and the first place in each page, and the pages together are all places", async () => {
    const body = Array.from({ length: 30 }, () => `seven${"x".repeat(80)}`);
    const response = { headers: {}, body, bytes: 1 };
    devtools.responses = keptRuns([runOf({ instance: "i", sequence: 1, path: `/${"p".repeat(900)}`, response })]);
    const asked = { id: "1", text: "seven" };
    const { whole, parts } = await devtools.inParts<AgentOccurrences>("find_value", asked, ({ found }) => found);
    assert.deepEqual([whole.length, parts.length > 1, parts.flat()], [30, true, whole]);
  });

  it("accepts a cursor only for the same run and text", async () => {
    const body = Array.from({ length: 60 }, (_, at) => ({ at, is: "seven", was: "sevens" }));
    const run = (sequence: number) => runOf({ instance: "i", sequence, response: { headers: {}, body, bytes: 1 } });
    devtools.responses = keptRuns([run(1), run(2)]);
    const asked = { id: "1", text: "seven", maxChars: 2_000 };
    const { next, first, found } = await devtools.called<AgentOccurrences>("find_value", asked);
    assert.deepEqual([first?.call, first], [null, found[0]]);
    const again = { ...asked, cursor: next ?? assert.fail("all on one page") };
    assert.notDeepEqual((await devtools.called<AgentOccurrences>("find_value", again)).found[0], first);
    for (const other of [{ id: "2" }, { text: "seve" }])
      assert.match(
        await devtools.rejected("find_value", { ...again, ...other }),
        /no cursor of this call of find_value/,
      );
  });
});

describe("wait_for_run", () => {
  const routes = [{ method: "GET", path: "/orders/{id}", parameters: [], beans: [] }];
  const [earlier, first, second] = [1, 2, 3].map((sequence) => hitOf(runOf({ instance: "i", sequence })));
  /** Responds with one after the other; undefined is an application that starts. */
  const pages = (...each: readonly (readonly unknown[] | undefined)[]) => {
    const left = [...each];
    return (_: IncomingMessage, response: ServerResponse): void => {
      const hits = left.shift();
      response.statusCode = hits === undefined ? 500 : 200;
      response.end(JSON.stringify({ hits, next: null, searched: 1, tookUs: 1 }));
    };
  };

  it("returns the first run after the existing ones, through a restart in between", async () => {
    devtools.responses = { routes, search: pages([earlier], [earlier], undefined, [second, first, earlier]) };
    const { run } = await devtools.called<AgentAwaited>("wait_for_run", { route: "GET /orders/{id}" });
    assert.equal(run?.id, "i.2");
    const searches = devtools.seen.filter((asked) => asked.startsWith("search")).map(queryOf);
    const q = 'route="GET /orders/{id}"';
    assert.deepEqual(searches, [{ q, limit: "1" }, ...[1, 2, 3].map(() => ({ q, limit: "100" }))]);
  });

  it("returns the first run of a route without any, through a restart too", async () => {
    devtools.responses = { routes, search: pages([], undefined, [second, first]) };
    const { run, waitedMs } = await devtools.called<AgentAwaited>("wait_for_run", { route: "GET /orders/{id}" });
    assert.equal(run?.id, "i.2");
    assert.ok(waitedMs < 5_000, `${waitedMs}`);
  });

  it("returns none when its time is over, and says so", async (t) => {
    t.mock.method(performance, "now", () => 100_000);
    devtools.responses = { routes, search: pages([], [], [], [], []) };
    const asked = { route: "GET /orders/{id}", timeoutMs: 0 };
    const { run, waitedMs } = await devtools.called<AgentAwaited>("wait_for_run", asked);
    assert.deepEqual([run, waitedMs], [null, 0]);
  });

  it("waits 20 s by default", async (t) => {
    let now = 100_000;
    t.mock.method(performance, "now", () => now);
    const search = (_: IncomingMessage, response: ServerResponse): void => {
      now += 10_000;
      response.end(JSON.stringify({ hits: [], next: null, searched: 0 }));
    };
    devtools.responses = { routes, search };
    const { run, waitedMs } = await devtools.called<AgentAwaited>("wait_for_run", { route: "GET /orders/{id}" });
    assert.deepEqual([run, waitedMs], [null, 20_000]);
  });
});
