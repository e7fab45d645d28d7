/**
 * `make bench ONLY=micro`: prints ns per operation of every case, with quartiles: bean calls, recorded and not, which are rows of
 * the table, requests without a network, and sends of jobs where their servers are installed. FAST=1 and NODE=24 work as for the bench.
 *
 * With a group's name and a shape it is the process of the micro bench that prints the slices as JSON.
 *
 * As in an application, a process has one devtools, and every call site knows one bean. A call site with several beans, or a
 * second AsyncLocalStorage, changes the optimization. So each loop is written out.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Beans, Framework, Interface } from "framework";
import { Devtools } from "@framework/devtools";
import { jobCases, jobEngines } from "./jobs.ts";
import { McpMiddleware } from "framework/mcp";
import { z } from "zod";
import { measureMicro, takeSlices, type Case, type MicroShape } from "./method/micro.ts";
import { cellOf } from "./method/stats.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { settingsOf, shapesOf } from "./settings.ts";
import { work } from "./work.ts";

/** The groups, each measured in separate processes. */
const groups: Readonly<Record<string, () => readonly Case[] | Promise<readonly Case[]>>> = {
  calls,
  requests,
  tools,
  fetch: fetching,
  ...Object.fromEntries(Object.keys(jobEngines).map((name) => [name, () => jobCases(name, servers)])),
};

/** Servers of the cases, which end with the process of their group. */
const started: (() => unknown)[] = [];
const servers = { after: (work: () => unknown): void => void started.push(work) };

interface Products {
  find(id: number): Product;
  load(id: number): Promise<Product>;
}
type Product = ReturnType<typeof product>;
const Products: Interface<Products> = Interface("Products");

/** About 170 bytes as JSON, including arguments. */
const product = (id: number) => ({
  id,
  name: "a lamp for the desk, brass, with a long arm",
  tags: ["light", "desk", "brass"],
  price: { amount: 12.5, currency: "EUR" },
});
const products = (): Products => ({ find: product, load: (id) => Promise.resolve(product(id)) });

/** An app with devtools, two plain beans and one that devtools record. */
function watched(): readonly [Framework, Products, Products, Products] {
  const devtools = Devtools.create();
  const beans = Beans.builder().bind(Products, products).instrument(devtools.recorder()).start();
  const app = Framework.create({ logger: { warn: () => undefined } });
  devtools.install(app.beans(beans), beans);
  return [app, products(), products(), beans.get(Products)];
}

/** A bean call outside any request: the cost of recording when nothing is recorded. */
function calls(): readonly Case[] {
  const [, direct, twin, idle] = watched();
  const per = 10_000;
  const runs = {
    direct: () => {
      let sum = 0;
      for (let n = 0; n < per; n += 1) sum += direct.find(n).id;
      return sum;
    },
    "direct-twin": () => {
      let sum = 0;
      for (let n = 0; n < per; n += 1) sum += twin.find(n).id;
      return sum;
    },
    idle: () => {
      let sum = 0;
      for (let n = 0; n < per; n += 1) sum += idle.find(n).id;
      return sum;
    },
  };
  return Object.entries(runs).map(([id, run]) => ({ id, per, run }));
}

/** A traced request with 20 asynchronous calls: the cost of recording one of them. */
function requests(): readonly Case[] {
  const [app, direct, twin, recorded] = watched();
  const per = 20;
  app.get("/direct", async () => {
    for (let n = 0; n < per; n += 1) await direct.load(n);
    return { hello: "world" };
  });
  app.get("/direct-twin", async () => {
    for (let n = 0; n < per; n += 1) await twin.load(n);
    return { hello: "world" };
  });
  app.get("/recorded", async () => {
    for (let n = 0; n < per; n += 1) await recorded.load(n);
    return { hello: "world" };
  });
  return ["direct", "direct-twin", "recorded"].map((id) => ({ id, per, run: asking(app.fetch, id) }));
}

/** An order as a request, as the call of its tool, and what the protocol's library alone takes for such a call. */
async function tools(): Promise<readonly Case[]> {
  const app = Framework.create({ logger: { warn: () => undefined } });
  app.use(new McpMiddleware({ info: { name: "bench", version: "1" } }));
  const contract = { operationId: "order", tool: true, body: z.object({ n: z.number() }) };
  app.post("/orders/{id}", contract, ({ input, params }) => ({ id: params.id, n: input.body.n }));
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "order", arguments: { id: "7", n: 2 }, _meta };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const ofCall = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "order" };
  const accept = "application/json, text/event-stream";
  const posting =
    (path: string, body: string, more: Readonly<Record<string, string>> = {}) =>
    async (): Promise<void> => {
      const length = { "content-length": String(body.length) };
      const headers = { "content-type": "application/json", accept, ...length, ...more };
      const response = await app.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
      if (!(await response.text()).includes("7")) throw new Error(`${path} gave ${response.status}`);
    };
  return [
    { id: "request", per: 1, run: posting("/orders/7", '{"n":2}') },
    { id: "request-twin", per: 1, run: posting("/orders/7", '{"n":2}') },
    { id: "call", per: 1, run: posting("/mcp", call, ofCall) },
    { id: "library", per: 1, run: await libraryAlone(call, { "content-type": "application/json", accept, ...ofCall }) },
  ];
}

/** A call in the library: a parsed message, a tool with a ready result, and the reading of the response. */
async function libraryAlone(call: string, fields: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
  const { createMcpHandler, Server } = await import("@modelcontextprotocol/server");
  const structuredContent = { id: "7", n: 2 };
  const result = { content: [{ type: "text" as const, text: JSON.stringify(structuredContent) }], structuredContent };
  const { fetch } = createMcpHandler(() => {
    const server = new Server({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/call", async () => server.projectCallToolResult(result, undefined));
    return server;
  });
  const headers = { get: (name: string) => fields[name.toLowerCase()] ?? null };
  const parsedBody = JSON.parse(call) as unknown;
  return async () => {
    const { signal } = new AbortController();
    const response = await fetch({ method: "POST", headers, signal } as unknown as Request, { parsedBody });
    if (!(await response.text()).includes("7")) throw new Error(`the library gave ${response.status}`);
  };
}

type Fetch = (request: Request) => Response | Promise<Response>;

const asking =
  (fetch: Fetch, path: string, isRead = false) =>
  async (): Promise<void> => {
    const response = await fetch(new Request(`http://localhost/${path}`));
    if (response.status !== 200) throw new Error(`/${path} gave ${response.status}`);
    if (isRead) await response.text();
  };

/** A whole request as a web Request, ours and the peers'. Without a reader a framework may never create the response. */
async function fetching(): Promise<readonly Case[]> {
  const app = Framework.create({ logger: { warn: () => undefined } });
  app.get("/hello", () => ({ hello: "world" }));
  const peer = async (name: string): Promise<Fetch> => {
    const module = pathToFileURL(join(root, "bench", "peers", `${name}.mjs`)).href;
    const { appOf } = (await import(module)) as { appOf(job: object): Promise<{ readonly fetch: Fetch }> };
    const made = await appOf(work());
    return (request) => made.fetch(request);
  };
  const [hono, h3] = [await peer("hono"), await peer("h3")];
  const fetches: Readonly<Record<string, Fetch>> = {
    "a function that makes a Response": () => Response.json({ hello: "world" }),
    "app.fetch": app.fetch,
    "Hono's fetch": hono,
    "h3's fetch": h3,
  };
  return [
    { id: "new Request", per: 1, run: () => new Request("http://localhost/hello") },
    ...Object.entries(fetches).flatMap(([name, fetch]) =>
      [false, true].map((isRead) => {
        const id = `through ${name}${isRead ? ", read" : ""}`;
        return { id, per: 1, run: asking(fetch, "hello", isRead) };
      }),
    ),
  ];
}

const [group, shape] = process.argv.slice(2);
if (group !== undefined) {
  const cases = await groups[group]?.();
  if (cases === undefined) throw new Error(`there is no group ${group}: ${Object.keys(groups).join(", ")}`);
  writeSync(1, JSON.stringify(await takeSlices(cases, JSON.parse(shape ?? "{}") as MicroShape)));
  for (const work of started.toReversed()) await work();
  process.exit();
}
const settings = fromEnvironment(settingsOf);
for (const name of Object.keys(groups)) {
  const why = jobEngines[name]?.() ?? false;
  process.stdout.write(`${name}${why === false ? "" : `: ${why}`}\n`);
  if (why !== false) continue;
  for (const [id, values] of measureMicro(name, settings.node, shapesOf(settings).micro)) {
    const { median, low, high } = cellOf(values);
    const figure = `${median.toFixed(0).padStart(6)} ns [${low.toFixed(0)}–${high.toFixed(0)}]`;
    process.stdout.write(`  ${id.padEnd(62)} ${figure}\n`);
  }
}
