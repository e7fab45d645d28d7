/**
 * The tools, called by the official client: their results, their bounds, and their error sentences.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { secret, Subject } from "../terminal/subject.testkit.ts";
import type { AgentAwaited, AgentJobs, AgentRun, AgentRunView, AgentRuns, AgentSent } from "../../run/shapes.ts";
import { Agent, type Called } from "./agent.testkit.ts";
import { descriptions, tools } from "./tools.ts";
import { notice } from "./tool.ts";

let folder: string;
let subject: Subject;
let agent: Agent;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "mcp-"));
  subject = await Subject.withJobs();
  ofEach["retry_job"] = { job: "mail", id: subject.letter };
  const env = { FRAMEWORK_DEVTOOLS_TOKEN: secret, FRAMEWORK_DEVTOOLS_URL: subject.url };
  agent = await Agent.connect({ env, folder });
});
after(async () => {
  assert.deepEqual([await agent.close(), agent.said], [0, []]);
  await subject.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A call that must succeed. */
async function called(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Called> {
  const { text, isError, result } = await agent.call(name, args);
  assert.equal(isError, false, text);
  return { text, isError, result };
}

async function sent(path: string, more: Readonly<Record<string, unknown>> = {}): Promise<AgentSent> {
  return (await called("send_request", { method: "GET", path, ...more })).result as unknown as AgentSent;
}

const idOf = ({ run }: AgentSent): string => run?.id ?? "none";

/** Tools that send requests to the application. */
const sends: Readonly<Record<string, string>> = {
  send_request: "GET /shop/orders/7",
  what_if: "GET /shop/orders/7",
  profile_run: "GET /shop/orders/7",
  replay_run: "GET /shop/orders/7",
  retry_job: "POST /shop/framework/dev/api/jobs/mail/…",
};

/** A call of each tool that succeeds while a run is kept. */
const ofEach: Record<string, Readonly<Record<string, unknown>>> = {
  list_routes: { contracts: true },
  get_graph: { bean: "Orders" },
  send_request: { method: "GET", path: "/shop/orders/7" },
  list_runs: { query: "bean:Orders" },
  get_run: { id: "last" },
  find_value: { id: "last", text: "7" },
  compare_runs: { a: "last", b: "last" },
  explain_run: { id: "last" },
  explain_set: { ids: "last" },
  what_if: { id: "last", callId: 1, returns: { id: "other" } },
  profile_run: { id: "last" },
  wait_for_run: { route: "GET /shop/orders/{id}", timeoutMs: 0 },
  list_jobs: {},
  replay_run: { id: "last", recorded: "Rows" },
  retry_job: {},
  get_health: {},
};

describe("framework-devtools mcp", () => {
  it("has these tools, in their order, each with one sentence and a shape", async () => {
    const { tools: listed } = await agent.client.listTools();
    assert.deepEqual(
      listed.map(({ name }) => name),
      Object.keys(ofEach),
    );
    for (const { name, description = "", outputSchema } of listed) {
      assert.match(description, /^[A-Z](?!.*[.!?] [A-Z]).*\buse .*\.$/, name);
      assert.equal(outputSchema?.["type"], "object", name);
    }
    const readOnly = listed.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    assert.deepEqual(
      readOnly,
      Object.keys(ofEach).filter((name) => !(name in sends)),
    );
  });

  it("takes what_if without an outcome for a mistake, and sends nothing", async () => {
    const { text, isError } = await agent.call("what_if", { id: "last", callId: 1 });
    assert.deepEqual([isError, text], [true, "what_if takes returns, throws or afterMs: one outcome, and a time"]);
  });

  it("describes itself in at most 700 characters a tool, besides the shapes", () => {
    const said = descriptions().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const chars = JSON.stringify(said).length;
    assert.ok(chars <= 700 * tools.length, `${chars} characters`);
  });

  it("describes each input and whether it is required, and marks those that send requests as changing data", () => {
    const needed: Record<string, readonly string[]> = {};
    for (const { name, inputSchema, outputSchema, annotations } of descriptions()) {
      const { properties, required } = inputSchema as unknown as {
        readonly properties: Readonly<Record<string, { readonly description?: string }>>;
        readonly required: readonly string[];
      };
      for (const [input, { description = "" }] of Object.entries(properties))
        assert.notEqual(description, "", `${name} ${input}`);
      if (required.length > 0) needed[name] = required;
      assert.deepEqual([annotations.destructiveHint, annotations.openWorldHint], [name in sends, false]);
      assert.deepEqual([typeof outputSchema["properties"], "$id" in outputSchema], ["object", false], name);
    }
    assert.deepEqual(needed, {
      send_request: ["method", "path"],
      get_run: ["id"],
      find_value: ["id", "text"],
      compare_runs: ["a", "b"],
      explain_run: ["id"],
      what_if: ["id", "callId"],
      profile_run: ["id"],
      replay_run: ["id"],
      retry_job: ["job", "id"],
      wait_for_run: ["route"],
    });
  });

  for (const [version, mode] of [
    ["2025-11-25", "legacy"],
    ["2026-07-28", { pin: "2026-07-28" }],
  ] as const)
    it(`speaks ${version}, and each result has its shape, as text too, and is marked as data`, async () => {
      await sent("/shop/orders/7");
      const env = { FRAMEWORK_DEVTOOLS_TOKEN: secret, FRAMEWORK_DEVTOOLS_URL: subject.url };
      const other = await Agent.connect({ env, folder, mode });
      assert.equal(other.client.getNegotiatedProtocolVersion(), version);
      await other.client.listTools();
      for (const [name, args] of Object.entries(ofEach)) {
        const { text, isError, result } = await other.call(name, args);
        assert.deepEqual([isError, JSON.parse(text), result["notice"]], [false, result, notice], name);
      }
      assert.equal(await other.close(), 0);
    });

  it("reads devtools only by GET, and only the tools that send requests reach the application", async () => {
    await sent("/shop/orders/7");
    for (const [name, args] of Object.entries(ofEach)) {
      subject.seen.length = 0;
      await called(name, args);
      const others = subject.seen.filter((line) => !line.startsWith("GET /shop/framework/dev/api/"));
      const own = others.map((line) => line.replace(subject.letter, "…"));
      assert.deepEqual(own, name in sends ? [sends[name]] : [], name);
      assert.ok(subject.seen.length > 0, name);
    }
    for (const path of ["/shop/framework/dev/api/graph", "/shop/%66ramework/dev"]) {
      subject.seen.length = 0;
      const { isError, text } = await agent.call("send_request", { method: "POST", path });
      assert.deepEqual([isError, subject.seen.filter((line) => line.startsWith("POST"))], [true, []]);
      assert.match(text, /is a path of devtools, which only read/);
    }
  });

  it("lists a dead letter with its reason, and replays its attempt without the engine", async () => {
    const jobs = (await called("list_jobs")).result as unknown as AgentJobs;
    const [letter] = jobs.dead;
    assert.deepEqual(
      { ...jobs, dead: [{ ...letter, run: null }] },
      {
        engine: "memory",
        reason: null,
        jobs: [{ job: "mail", waiting: 0, active: 0, dead: 1, oldestMs: 0 }],
        schedules: [],
        dead: [{ id: subject.letter, job: "mail", reason: letter?.reason, run: null }],
        next: null,
        notice,
      },
    );
    assert.match(letter?.reason ?? "", /^no /);
    const { run, body } = (await called("replay_run", { id: letter?.run })).result as unknown as AgentSent;
    assert.deepEqual([run?.attempt, body], ["attempt 1 of 1: failed", letter?.reason]);
    const again = await agent.call("retry_job", { job: "mail", id: "none" });
    const why = "there is no dead letter none of mail: it may have been tried again already";
    assert.deepEqual([again.isError, again.text], [true, why]);
  });

  it("sends a body: a text unchanged, any other value as JSON", async () => {
    const headers = { "content-type": "text/odd" };
    const text = await sent("/shop/echo", { method: "post", body: "plain", headers });
    assert.deepEqual([text.status, JSON.parse(text.body)], [200, { got: "plain", type: "text/odd" }]);
    const json = await sent("/shop/echo", { method: "POST", body: { a: [1] } });
    assert.deepEqual(JSON.parse(json.body), { got: '{"a":[1]}', type: "application/json" });
    assert.deepEqual([json.did, json.error, json.run?.route], ["0 calls", null, "/shop/echo"]);
  });

  it("shows a run in brief, as a tree, and one call of it with its place", async () => {
    const { run, error } = await sent("/shop/orders/none");
    assert.match(error ?? "", /^RangeError: no /);
    const { summary } = (await called("get_run", { id: run?.id })).result as unknown as AgentRunView;
    assert.deepEqual([summary?.params, summary?.did, summary?.error], ['{id: "none"}', "2 calls", error]);
    const { tree = [] } = (await called("get_run", { id: run?.id, view: "tree" })).result as unknown as AgentRunView;
    assert.deepEqual(
      tree.map(({ id, in: around, kind, text }) => [id, around, kind, text.replace(/no .*/, "no …")]),
      [
        [0, null, "call", 'Orders.find("none") → threw RangeError: no …'],
        [1, 0, "call", 'Rows.row("none") → threw RangeError: no …'],
      ],
    );
    const { call } = (await called("get_run", { id: run?.id, view: "call", callId: 1 }))
      .result as unknown as AgentRunView;
    const place = /src\/devtools\/cli\/terminal\/subject\.testkit\.ts:\d+$/;
    assert.match(call?.at ?? "", place);
    assert.match(call?.in?.at ?? "", place);
    assert.deepEqual([call?.args, call?.in?.name], [[{ name: "id", value: '"none"' }], "Orders.find"]);
  });

  it("returns no character that a viewer would obey, in the structured content either", async () => {
    await sent("/shop/orders/none");
    const { text, result } = await called("get_run", { id: "last", view: "tree" });
    // eslint-disable-next-line no-control-regex -- that none is there
    assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f]/);
    assert.match(JSON.stringify(result), /no \\\\u\{1b\}\]0;owned/);
  });

  it("bounds each result, and returns the whole list in parts", async () => {
    const id = idOf(await sent("/shop/many"));
    const parts: AgentRunView[] = [];
    for (let cursor: string | undefined; parts.length < 100;) {
      const { text, result } = await called("get_run", {
        id,
        view: "tree",
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(text.length <= 8_000, `${text.length}`);
      const part = result as unknown as AgentRunView;
      parts.push(part);
      if (part.next === null) break;
      cursor = part.next;
    }
    const ids = parts.flatMap(({ tree = [] }) => tree.map((line) => line.id));
    assert.deepEqual(
      ids,
      Array.from({ length: 200 }, (_, at) => at),
    );
    assert.ok(parts.length > 2, `${parts.length} parts`);
  });

  for (const maxChars of [2_000, 8_000, 30_000])
    it(`returns at most ${maxChars} characters, for any tool`, async () => {
      const id = idOf(await sent("/shop/many"));
      const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
        ["list_routes", {}],
        ["get_graph", {}],
        ["send_request", { method: "GET", path: "/shop/many" }],
        ["list_runs", { limit: 100 }],
        ["get_run", { id }],
        ["get_run", { id, view: "tree" }],
        ["get_run", { id, view: "call", callId: 0 }],
        ["find_value", { id, text: "long" }],
        ["compare_runs", { a: id, b: "last" }],
        ["explain_run", { id }],
        ["get_health", {}],
      ];
      for (const [name, args] of calls) {
        const { text } = await called(name, { ...args, maxChars });
        assert.ok(text.length <= maxChars, `${name} ${JSON.stringify(args)}: ${text.length}`);
      }
    });

  it("lists runs page by page, each once", async () => {
    for (const at of [1, 2, 3, 4, 5]) await sent(`/shop/orders/page-${at}`);
    const seen: string[] = [];
    for (let cursor: string | undefined; seen.length < 20;) {
      const args = { query: "path:page-", limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const { runs, next } = (await called("list_runs", args)).result as unknown as AgentRuns;
      seen.push(...runs.map(({ path }) => path.slice(-1)));
      if (next === null) break;
      cursor = next;
    }
    assert.deepEqual(seen, ["5", "4", "3", "2", "1"]);
  });

  it("rejects a cursor of another call, of another tool, and a malformed one", async () => {
    const id = idOf(await sent("/shop/many"));
    const { next } = (await called("get_run", { id, view: "tree" })).result as unknown as AgentRunView;
    const other = idOf(await sent("/shop/many"));
    const cases = [
      ["get_run", { id: other, view: "tree", cursor: next }],
      ["find_value", { id, text: "long", cursor: next }],
      ["list_routes", { cursor: "12-00000000" }],
      ["list_routes", { cursor: "../etc" }],
      ["list_runs", { cursor: next }],
      ["get_run", { id, cursor: next }],
    ] as const;
    for (const [name, args] of cases) {
      const { isError, text } = await agent.call(name, args);
      assert.equal(isError, true, `${name}: ${text}`);
      assert.match(text, /no cursor of|has no pages/, name);
    }
  });

  const inTheWay: Readonly<
    Record<string, readonly [name: string, args: Readonly<Record<string, unknown>>, says: RegExp]>
  > = {
    "a run that is gone": ["get_run", { id: "999999" }, /^no run "999999" is kept: it may have been dropped/],
    "a query with a slip": [
      "list_runs",
      { query: "beam:x" },
      /^the query cannot be understood at character 1: .*did you mean bean:x/,
    ],
    "an input that is missing": ["get_run", {}, /^get_run needs id: a text of at most 10000 characters$/],
    "an input that is none": [
      "get_run",
      { id: "1", of: 1 },
      /^get_run takes no "of": id, view, callId, cursor, maxChars are allowed$/,
    ],
    "a value that is not allowed": [
      "get_run",
      { id: "1", view: "tre" },
      /^view of get_run is "tre": summary or tree or call is allowed$/,
    ],
    "a bound that is too low": [
      "get_health",
      { maxChars: 10 },
      /^maxChars of get_health is 10: a whole number from 2000 to 100000 is allowed$/,
    ],
    "headers that are none": [
      "send_request",
      { method: "GET", path: "/", headers: { a: 1 } },
      /^headers of send_request is \{"a":1\}: an object of texts/,
    ],
    "a flag that is none": [
      "list_routes",
      { contracts: "yes" },
      /^contracts of list_routes is "yes": true or false is allowed$/,
    ],
    "a method that is none": ["send_request", { method: "GE T", path: "/" }, /^"GE T" is no method$/],
    "a path that is none": [
      "send_request",
      { method: "GET", path: "shop" },
      /^the path is "shop": one like \/products\/1 is allowed$/,
    ],
    "a bean that is none": ["get_graph", { bean: "Orderz" }, /^"Orderz" is no bean: /],
    "a route that is none": ["wait_for_run", { route: "GET /nowhere" }, /^"GET \/nowhere" is no route: /],
    "a call that is none": ["get_run", { id: "last", view: "call", callId: 9_999 }, /^the run has no call 9999: /],
    "a call that is not named": ["get_run", { id: "last", view: "call" }, /^the view call needs callId: /],
    "nothing to find": ["find_value", { id: "last", text: "" }, /^text of find_value is empty/],
  };
  for (const [title, [name, args, says]] of Object.entries(inTheWay))
    it(`names the problem in one sentence: ${title}`, async () => {
      await sent("/shop/orders/7");
      const { isError, text } = await agent.call(name, args);
      assert.deepEqual([isError, text.includes("\n")], [true, false]);
      assert.match(text, says);
    });

  it("reports a missing application, and an unknown tool as an error of the protocol", async () => {
    const env = { FRAMEWORK_DEVTOOLS_URL: "http://127.0.0.1:9/shop" };
    const lost = await Agent.connect({ env, folder, args: ["--wait", "0"] });
    for (const [name, args] of Object.entries(ofEach)) {
      const { isError, text } = await lost.call(name, args);
      assert.equal(isError, true, name);
      assert.match(text, /^nothing responds at http:\/\/127\.0\.0\.1:9\/shop \(.*\): start the application/);
    }
    await assert.rejects(lost.call("no_such_tool"), /no_such_tool/);
    await lost.close();
  });

  it("finds the application after a restart, with another token of the project's file", async () => {
    const first = await Subject.start(0, "a-first-token-of-the-project");
    const { port, url } = first;
    const kept = join(folder, "restart", ".framework");
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, "devtools-token"), "a-first-token-of-the-project\n");
    const env = { FRAMEWORK_DEVTOOLS_URL: url };
    const watching = await Agent.connect({ env, folder: join(folder, "restart"), args: ["--wait", "20"] });
    const before = await watching.call("send_request", { method: "GET", path: "/shop/orders/a" });
    assert.equal(before.isError, false, before.text);
    await first.stop();
    const meanwhile = watching.call("list_routes");
    writeFileSync(join(kept, "devtools-token"), "a-second-token-of-the-project\n");
    const second = await Subject.start(port, "a-second-token-of-the-project");
    // That call had read the first token, so it is rejected with the reason.
    assert.match((await meanwhile).text, /the token is missing or another one|"routes"/);
    const again = await watching.call("send_request", { method: "GET", path: "/shop/orders/b" });
    assert.equal(again.isError, false, again.text);
    const gone = await watching.call("get_run", { id: idOf(before.result as unknown as AgentSent) });
    assert.deepEqual([gone.isError, gone.text.startsWith("no run ")], [true, true], gone.text);
    await watching.close();
    await second.stop();
  });

  it("waits for the next run of a route, and returns none if none comes", async () => {
    await sent("/shop/orders/earlier");
    const route = "GET /shop/orders/{id}";
    const waiting = called("wait_for_run", { route, timeoutMs: 20_000 });
    // The wait has begun when it has requested the earlier runs.
    const asked = subject.seen.length;
    while (!subject.seen.slice(asked).includes("GET /shop/framework/dev/api/search")) await new Promise(setImmediate);
    await (await fetch(`${subject.url}/orders/awaited`)).text();
    const { run } = (await waiting).result as unknown as AgentAwaited;
    assert.equal(run?.path, "/shop/orders/awaited");
    const { run: none, waitedMs } = (await called("wait_for_run", { route, timeoutMs: 120 }))
      .result as unknown as AgentAwaited;
    assert.deepEqual([none, waitedMs >= 120], [null, true]);
  });

  it("explains a run with a path longer than a query may be, and one with every sign of the query language", async () => {
    for (const path of ["x".repeat(3_000), `a%22b%5Cc:d=e-"f"\\\\ (g)`]) {
      const { run } = await sent(`/shop/orders/${path}`);
      const { result } = await called("explain_run", { id: run?.id });
      assert.equal((result["run"] as AgentRun).id, run?.id);
    }
  });

  it("accepts a run by its number and by last", async () => {
    const { run } = await sent("/shop/orders/7");
    for (const id of [run?.id, run?.id.split(".")[1], "last"]) {
      const { result } = await called("get_run", { id });
      assert.deepEqual((result["run"] as AgentRun).id, run?.id, id);
    }
  });
});
