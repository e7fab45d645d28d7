/**
 * The tools on the worst possible responses of devtools, and the program on input outside of the protocol.
 */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { after, before, beforeEach, describe, it } from "node:test";
import { yardstickMs } from "../../cpu-time.testkit.ts";
import type {
  Call,
  Json,
  Trace,
  AgentAwaited,
  AgentExplanation,
  AgentRunView,
  AgentSent,
  SearchHit,
} from "../../run/shapes.ts";
import { DevtoolsClient } from "../terminal/client.ts";
import { runProgram } from "../terminal/program.ts";
import { callTool } from "./tools.ts";

/** The most expensive text, of which each character is escaped. */
const worst = (chars: number): string => '"\\\u001b'.repeat(chars / 3);

const call = (id: number, parentId: number | null, more: Partial<Call> = {}): Call => ({
  id,
  parentId,
  depth: 0,
  bean: "B".repeat(200),
  declaredBy: "B",
  stereotype: "bean",
  method: "m".repeat(200),
  args: [],
  result: null,
  error: null,
  startUs: id,
  durationUs: 1,
  async: true,
  ...more,
});

function traceOf(sequence: number, calls: readonly Call[], value: Json = worst(3_000)): Trace {
  const many: Json = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, value]));
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`h${at}`, [worst(300)]]));
  const contractIssues = Array.from({ length: 20 }, () => ({ pointer: "/a".repeat(200), message: worst(3_000) }));
  return {
    instance: "i",
    id: "r",
    sequence,
    correlationId: null,
    method: "GET",
    path: `/${worst(3e3)}`,
    route: "/x",
    status: 500,
    startedAt: sequence,
    durationUs: 1e6,
    aborted: false,
    calls,
    droppedCalls: 0,
    leaves: [],
    droppedLeaves: 0,
    contractIssues,
    error: { name: "E", message: worst(3e3) },
    request: { pathParams: { p: worst(3e3) }, query: {}, headers, body: many },
    response: { headers, body: many, bytes: 1 },
  };
}

const hitOf = ({ instance, sequence, method, path, route, status, startedAt, durationUs }: Trace): SearchHit => ({
  instance,
  sequence,
  method,
  path,
  route,
  status,
  startedAt,
  durationUs,
  kind: "request",
  calls: [],
  leaves: [],
  parts: [],
});

const args = Array.from({ length: 101 }, () => worst(3_000));
const kept = new Map([1, 2].map((n) => [n, traceOf(n, [call(0, null, { args, result: { n, is: worst(3_000) } })])]));

const session = { instance: "i", startedAt: 0, app: worst(300), commit: null, branch: null, runs: 2, skipped: 0 };
const node = { name: "B", stereotype: "bean", implementation: "B", traceable: true };
const dependencies = Array.from({ length: 1_000 }, (_, at) => `Bean${at}`);
const checks = Array.from({ length: 20 }, (_, at) => ({
  name: `${at}${worst(300)}`,
  status: "DOWN",
  error: worst(3e3),
  durationUs: 1,
  checkedAt: 1,
  recent: [],
}));
const start = { instance: "i", startedAt: 0, durationUs: 1, beans: [], droppedBeans: 0, hooks: [], notBuilt: [] };
const failed = { ...start, chain: dependencies, error: { name: "E", message: worst(3_000) } };
const contract = { summary: worst(3_000), body: { description: "x".repeat(20_000) } };
const metrics = Array.from({ length: 20 }, () => ({
  method: "GET",
  route: worst(300),
  count: 1,
  errors: 1,
  aborted: 0,
  statuses: {},
  durationSeconds: { p95: 1 },
}));

/** The responses of devtools, by the path after `…/api/`. */
const responses: Readonly<Record<string, () => unknown>> = {
  routes: () => [{ method: "GET", path: "/x", parameters: [], beans: dependencies, contract, example: contract }],
  graph: () => ({ nodes: [{ ...node, id: "B", dependencies }], edges: [], unspied: [] }),
  sessions: () => ({ sessions: [{ ...session, current: true }], file: null }),
  health: () => ({ health: { status: "DOWN", checks: {} }, reason: null, checks }),
  startup: () => ({ current: start, failed }),
  metrics: () => ({ metrics: { since: 0, activeRequests: 0, routes: metrics }, reason: null }),
  sources: () => dependencies.map((method) => ({ bean: "B", method, file: worst(300), line: 1 })),
  search: () => ({ hits: hits(), next: null, searched: 2, tookUs: 1 }),
  requests: () => [...kept.values()],
};

let server: Server;
let seen: string[] = [];
let hits: () => readonly SearchHit[] = () => [];
/** Handles a request in another way; returns false to leave it alone. */
let instead: (path: string, response: ServerResponse) => boolean = () => false;

before(async () => {
  server = createServer(({ method, url = "" }, response) => {
    seen.push(`${method} ${url}`);
    if (instead(url, response)) return;
    const [, name = ""] = /\/framework\/dev\/api\/([^?]*)/.exec(url) ?? [];
    response.setHeader("Content-Type", "application/json");
    const [, sequence] = /^runs\/i\.(\d+)$/.exec(name) ?? [];
    response.end(JSON.stringify(sequence === undefined ? responses[name]?.() : kept.get(Number(sequence))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => {
  seen = [];
  instead = () => false;
  hits = () => [2, 1].flatMap((n) => kept.get(n) ?? []).map(hitOf);
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const urlOf = (of: Server): string => `http://127.0.0.1:${(of.address() as AddressInfo).port}`;

function carriedOut(name: string, given: object) {
  const { signal } = new AbortController();
  return callTool(name, given, { client: new DevtoolsClient({ url: urlOf(server), waitMs: 5_000 }), signal });
}

/** A call that must succeed. */
async function called(name: string, given: object) {
  const result = await carriedOut(name, given);
  const text = result?.content[0]?.text ?? "";
  assert.equal(result?.isError, undefined, text);
  return { text, result: result?.structuredContent };
}

const ofEach: readonly (readonly [name: string, given: object])[] = [
  ["list_routes", { contracts: true }],
  ["get_graph", {}],
  ["get_graph", { bean: "B" }],
  ["list_runs", {}],
  ["get_run", { id: "1" }],
  ["get_run", { id: "1", view: "tree" }],
  ["get_run", { id: "1", view: "call", callId: 0 }],
  ["find_value", { id: "1", text: '"' }],
  ["compare_runs", { a: "1", b: "2" }],
  ["explain_run", { id: "2", good: "1" }],
  ["explain_set", { ids: "1" }],
  ["wait_for_run", { route: "GET /x", timeoutMs: 0 }],
  ["get_health", {}],
];

describe("callTool", () => {
  for (const maxChars of [2_000, 8_000])
    it(`returns at most ${maxChars} characters of the worst possible run`, async () => {
      for (const [name, given] of ofEach) {
        const { text } = await called(name, { ...given, maxChars });
        assert.ok(text.length <= maxChars, `${name} ${JSON.stringify(given)}: ${text.length}`);
      }
    });

  it("reports a contract without room, and how many nested calls are not shown", async () => {
    const { result } = await called("list_routes", { contracts: true });
    const { routes = [] } = result as { routes?: readonly { contract?: { $comment?: string } }[] };
    assert.match(routes[0]?.contract?.$comment ?? "", /^\d+ characters: maxChars of \d+ has room for them$/);
    const { result: graph } = await called("get_graph", {});
    const { beans = [] } = graph as { beans?: readonly { dependencies: readonly string[] }[] };
    assert.match(beans[0]?.dependencies.at(-1) ?? "", /^… \d+ more$/);
    kept.set(3, traceOf(3, [call(0, null), ...Array.from({ length: 999 }, (_, at) => call(at + 1, 0))]));
    const of = await called("get_run", { id: "3", view: "call", callId: 0 });
    const { call: view } = of.result as unknown as AgentRunView;
    assert.ok((view?.calls.length ?? 0) > 0);
    assert.equal((view?.calls.length ?? 0) + (view?.notShown ?? 0), 999);
  });

  it("explains a run of 10,000 calls, and one with calls in a circle, in seconds", async () => {
    const error = { name: "E", message: "same" };
    const one = Array.from({ length: 10_000 }, (_, at) =>
      call(at, at === 0 ? null : 0, {
        bean: `B${at % 7}`,
        args: [at],
        result: { at },
        error: at % 2 === 0 ? null : error,
      }),
    );
    const deep = Array.from({ length: 3_000 }, (_, at) => call(at, at === 0 ? null : at - 1, { bean: "B", error }));
    const circle = [call(0, 1, { error }), call(1, 0, { error }), call(2, 2, { error })];
    for (const calls of [one, deep, circle]) {
      kept.set(4, traceOf(4, calls, "x"));
      kept.set(5, traceOf(5, calls.slice(0, -7), "y"));
      const began = process.cpuUsage();
      await called("explain_run", { id: "5", good: "4" });
      const { user } = process.cpuUsage(began);
      const share = user / 1_000 / yardstickMs();
      assert.ok(share < 120, `${calls.length} calls took ${share} times the yardstick`);
    }
  });

  it("compares a run with the last that worked, not with its replay", async () => {
    const replayOf = { instance: "i", sequence: 6, beans: ["B"], notes: [], ended: null };
    for (const n of [6, 7, 8]) kept.set(n, { ...traceOf(n, []), path: "/x", ...(n === 7 ? { replayOf } : {}) });
    hits = () => [7, 6].flatMap((n) => kept.get(n) ?? []).map(hitOf);
    const { result } = await called("explain_run", { id: "8" });
    assert.equal((result as unknown as AgentExplanation).comparedWith?.id, "i.6");
  });

  it("returns the first of several completed runs, and no older one", async () => {
    const [older, first, second] = [1, 5, 6].map((n) => hitOf({ ...traceOf(n, []), path: `/${n}` }));
    assert.ok(older && first && second);
    const known = { ...older, sequence: 4, startedAt: 4 };
    const pages = [[known, older], [older], [second, first, known, older]];
    hits = () => pages.shift() ?? [];
    const { result } = await called("wait_for_run", { route: "GET /x", timeoutMs: 5_000 });
    assert.equal((result as unknown as AgentAwaited).run?.path, "/5");
  });

  it("reads a response again that was cut off while the application stopped", async () => {
    let cuts = 0;
    instead = (url, response) => {
      if (!url.includes("/graph") || (cuts += 1) > 2) return false;
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 1_000 });
      response.write("[");
      setImmediate(() => response.destroy());
      return true;
    };
    await called("get_graph", {});
    assert.equal(seen.filter((url) => url.includes("/graph")).length, 3);
  });

  it("reads a body without an end up to the shown part, and reports one that breaks off", async () => {
    const closed = new EventEmitter();
    const isClosed = once(closed, "close");
    instead = (url, response) => {
      if (url.includes("framework")) return false;
      response.on("close", () => closed.emit("close"));
      const more = (): void => void (response.destroyed || response.write("x".repeat(100_000), more));
      more();
      return true;
    };
    const { result } = await called("send_request", { method: "GET", path: "/endless" });
    const { body } = result as unknown as AgentSent;
    assert.ok(body.startsWith("xxx") && body.endsWith("…"));
    await isClosed;
    instead = (url, response) => {
      if (url.includes("framework")) return false;
      response.writeHead(200, { "Content-Length": 1_000 });
      response.write("x");
      setImmediate(() => response.destroy());
      return true;
    };
    const broken = await carriedOut("send_request", { method: "GET", path: "/" });
    assert.equal(broken?.isError, true);
    assert.match(broken?.content[0]?.text ?? "", /^GET http:\S+ failed: /);
  });

  it("sends nothing to devtools for a badly encoded path below theirs", async () => {
    for (const path of [
      "/%66ramework/dev/api/graph/%zz",
      "/x/..%2F../framework/dev",
      "\\framework\\dev",
      "/framework/./dev/x",
    ]) {
      seen = [];
      await carriedOut("send_request", { method: "POST", path });
      const sent = seen.filter((line) => line.startsWith("POST"));
      assert.ok(
        sent.every((line) => !/^POST \/+(?:f|%66)ramework\/dev/.test(line)),
        `${path}: ${sent.join()}`,
      );
    }
  });
});

/** The program on its own streams. */
function started(url: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  const responses_: string[] = [];
  output.on("data", (part: Buffer) => void responses_.push(...part.toString().split("\n").filter(Boolean)));
  const ended = runProgram(["mcp", "--url", url, "--wait", "30"], {
    env: {},
    folder: "/",
    output: {},
    pipe: { input, output },
    signal: new AbortController().signal,
    print: (text) => void said.push(text),
    printError: (text) => void said.push(text),
  });
  return { input, said, responses: responses_, ended };
}

const hello = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } },
});
const toolCall = (name: string, given: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: given } })}\n`;

describe("framework-devtools mcp", () => {
  it("continues after lines that are not messages", async () => {
    const program = started(urlOf(server));
    program.input.write('no json\n{}\n[]\n{"jsonrpc":"2.0"}\n\u0000\n');
    program.input.write(`${hello}\n`);
    while (program.responses.length === 0) await new Promise(setImmediate);
    assert.equal((JSON.parse(program.responses.at(-1) ?? "") as { id: unknown }).id, 1);
    program.input.end();
    assert.equal(await program.ended, 0);
  });

  it("ends with the reason after a line that is longer than it reads", async () => {
    const program = started(urlOf(server));
    const part = Buffer.alloc(1_000_000, "x");
    for (let at = 0; at < 11; at += 1) program.input.write(part);
    assert.equal(await program.ended, 0);
    assert.match(program.said.join(""), /^framework-devtools: .*exceeded maximum size/);
  });

  it("ends immediately when its input does, during any call", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const url = urlOf(gone);
    await new Promise((resolve) => gone.close(resolve));
    for (const given of [
      [urlOf(server), "wait_for_run", { route: "GET /x", timeoutMs: 50_000 }],
      [url, "list_routes", {}],
    ] as const) {
      const program = started(given[0]);
      program.input.write(`${hello}\n`);
      while (program.responses.length === 0) await new Promise(setImmediate);
      program.input.write(toolCall(given[1], given[2]));
      await new Promise(setImmediate);
      program.input.end();
      assert.equal(await program.ended, 0);
    }
  });
});
