/**
 * An agent on the shop: the official client starts the program as an editor would, calls every tool in both versions of the
 * protocol, and finds ten planted faults. The shop is restarted for each.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { AgentCall, AgentExplanation, AgentFinding, AgentRunView, AgentSent } from "@framework/devtools";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createApp, type Shop } from "./app.ts";
import { Postgres } from "./database/postgres.ts";
import { faults, type FaultyRequest, type PlantedFault } from "./faults.ts";
import { newFolder, removeFolder, stopClock } from "./testing.ts";

const program = join(
  dirname(createRequire(import.meta.url).resolve("@framework/devtools/package.json")),
  "dist/cli/terminal/main.js",
);

/** The agent's budget for one fault. */
const budget = { calls: 6, chars: 20_000 };

let folder: string;
let postgres: Postgres;
let shop: Shop;
let port: number;

before(async () => {
  folder = await newFolder();
  postgres = await Postgres.open(join(folder, "agents"));
  shop = await startShop();
  ({ port } = shop.app);
});
after(async () => {
  await stop(shop);
  await postgres.close();
  await removeFolder(folder);
});

/** Starts the shop on the open database, with its history of earlier runs, and on its earlier port if it had one. */
async function startShop(fault?: PlantedFault): Promise<Shop> {
  const silent = () => undefined;
  const started = await createApp({
    dataDir: join(folder, "agents"),
    change: stopClock,
    postgres,
    log: silent,
    logger: { warn: silent, error: silent },
    around: fault?.plant(() => started.beans),
  });
  await started.app.start(port ?? 0);
  return started;
}

async function stop({ app, beans }: Shop): Promise<void> {
  await app.stop({ graceMs: 0 });
  await beans.close();
}

/** An agent that counts its calls and characters. */
class Agent {
  readonly client: Client;
  calls = 0;
  chars = 0;

  private constructor(client: Client) {
    this.client = client;
  }

  static async start(mode: "legacy" | { pin: string }): Promise<Agent> {
    const client = new Client({ name: "shop's agent", version: "1.0.0" }, { versionNegotiation: { mode } });
    const args = [program, "mcp", "--url", `http://localhost:${port}`, "--wait", "20"];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    // From now on, the client validates each result with the shape of its tool.
    await client.listTools();
    return new Agent(client);
  }

  async call<T>(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: { ...args } });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    assert.notEqual(isError, true, text);
    this.calls += 1;
    this.chars += text.length;
    return structuredContent as T;
  }

  send(request: FaultyRequest): Promise<AgentSent> {
    return this.call<AgentSent>("send_request", { ...request, maxChars: 2_000 });
  }
}

for (const [version, mode] of [
  ["2025-11-25", "legacy"],
  ["2026-07-28", { pin: "2026-07-28" }],
] as const)
  describe(`framework-devtools mcp on the shop, protocol ${version}`, () => {
    it("every tool returns a result of its shape, and the line that threw with its code", async (t) => {
      const agent = await Agent.start(mode);
      t.after(() => agent.client.close());
      assert.equal(agent.client.getNegotiatedProtocolVersion(), version);
      const a = await agent.send({ method: "GET", path: "/products/p-0001" });
      const b = await agent.send({ method: "GET", path: "/reports/sales/2026-01" });
      const [of, id] = [a.run?.id, b.run?.id];
      assert.deepEqual([a.status, b.status], [200, 500]);
      const calls: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
        list_routes: { filter: "orders", contracts: true },
        get_graph: {},
        list_runs: { query: "bean:ReportService status:5xx" },
        get_run: { id, view: "tree" },
        find_value: { id: of, text: "garden" },
        compare_runs: { a: of, b: of },
        wait_for_run: { route: "GET /products/{id}", timeoutMs: 0 },
        get_health: {},
      };
      for (const [name, args] of Object.entries(calls)) await agent.call(name, args);
      const { findings } = await agent.call<AgentExplanation>("explain_run", { id });
      const [first] = findings;
      const code = "return lines.reduce((best, line) => (line.quantity > best.quantity ? line : best)).name;";
      assert.deepEqual(
        [first?.kind, first?.call?.name, first?.line, first?.code],
        ["error", "ReportService.salesOf", "examples/shop/services/reports.ts:33", code],
      );
      const { call } = await agent.call<AgentRunView>("get_run", { id, view: "call", callId: first?.call?.id });
      assert.match(call?.stack[0] ?? "", /^mostOrdered examples\/shop\/services\/reports\.ts:33:\d+$/);
      assert.deepEqual(
        call?.code.filter((line) => line.startsWith(">")),
        [`> 33   ${code}`],
      );
    });
  });

/** An agent's conclusion: the method, and its first line. */
interface Conclusion {
  readonly call: string;
  readonly at: string | null;
}

/** The subject of a report → the kinds of findings about it. */
const speaking: Readonly<Record<PlantedFault["about"], ReadonlySet<string>>> = {
  time: new Set(["repeated-statement", "repeated-call", "sequence", "slow", "own-time"]),
  result: new Set(["error", "contract", "swallowed", "unfinished", "difference"]),
};

/**
 * The same script for each report: send the request, explain its run, take the first finding of the report's kind. A request
 * about time is sent three times, and the fastest run is explained: the first request after a start is slow anyway, and other
 * work on the machine only makes a run slower. If a finding is about the bean that sends every statement, the caller of that
 * bean is the conclusion.
 */
async function solve(agent: Agent, { request, about }: PlantedFault): Promise<Conclusion> {
  const runs = [];
  for (let sent = 0; sent < (about === "time" ? 3 : 1); sent += 1) runs.push((await agent.send(request)).run);
  const [run] = runs.toSorted((a, b) => (a?.durationUs ?? Infinity) - (b?.durationUs ?? Infinity));
  const { findings } = await agent.call<AgentExplanation>("explain_run", { id: run?.id });
  const finding = findings.find(({ kind }) => speaking[about].has(kind));
  const call = await askerOf(agent, run?.id, finding);
  return { call: call?.name ?? "", at: call?.at ?? null };
}

async function askerOf(
  agent: Agent,
  id: string | undefined,
  finding: AgentFinding | undefined,
): Promise<AgentCall | null> {
  const call = finding?.call ?? null;
  if (finding?.leaf === null || call === null) return call;
  const whole = await agent.call<AgentRunView>("get_run", { id, view: "call", callId: call.id });
  return whole.call?.leaves.some((leaf) => leaf.id === finding?.leaf) === true ? (whole.call.in ?? call) : call;
}

describe("an agent finds a planted fault", () => {
  let agent: Agent;
  let lines: readonly string[];

  before(async () => {
    lines = (await readFile("examples/shop/faults.ts", "utf8")).split("\n");
    agent = await Agent.start({ pin: "2026-07-28" });
    // Earlier runs, from a time without faults.
    for (const { request } of faults) await agent.send(request);
  });
  after(() => agent.client.close());

  it("of ten", () => assert.equal(faults.length, 10));

  for (const fault of faults)
    it(`${fault.id}. ${fault.symptom}`, async (t) => {
      await stop(shop);
      shop = await startShop(fault);
      [agent.calls, agent.chars] = [0, 0];
      const { call, at } = await solve(agent, fault);
      t.diagnostic(`${fault.id}: ${agent.calls} calls, ${agent.chars} characters: ${call} ${at}`);
      const { bean, method, text } = fault.cause;
      const [file = "", line = ""] = (at ?? "").split(":");
      const cause = lines.findIndex((one) => one.includes(text) && !one.includes(" text: ")) + 1;
      assert.deepEqual([call, file], [`${bean}.${method}`, "examples/shop/faults.ts"]);
      // The method begins there and contains the line.
      assert.ok(Number(line) <= cause && cause - Number(line) < 10, `${line} and ${cause}`);
      assert.ok(
        agent.calls <= budget.calls && agent.chars <= budget.chars,
        `${agent.calls} calls, ${agent.chars} characters`,
      );
    });
});
