/**
 * Checks the running demo against the shapes of spec/: its real output must match the schemas.
 *
 *   node .build/examples/shop/main.js ──▶ HTTP ──▶ Ajv 2020-12, strict
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import type { Call, RouteInfo, Trace } from "@framework/devtools";
import { BeanGraph } from "../spec/graph.ts";
import { HealthResult } from "../spec/health.ts";
import { AccessLogLine } from "../spec/log.ts";
import { MetricsSnapshot } from "../spec/metrics.ts";
import { RouteList } from "../spec/routes.ts";
import { Trace as TraceSchema, TraceList } from "../spec/trace.ts";

const main = fileURLToPath(new URL("../examples/shop/main.js", import.meta.url));

interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/** A separate demo process on a free port. */
class Demo {
  readonly #process: ChildProcess;
  #output = "";

  constructor(env: Record<string, string> = {}) {
    this.#process = spawn(process.execPath, [main], {
      env: { ...process.env, PORT: "0", ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process.stdout?.on("data", (chunk: Uint8Array) => (this.#output += String(chunk)));
  }

  /** Resolves with the first match of `pattern` in the demo's output. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found !== null) return found;
      if (this.#process.exitCode !== null)
        throw new Error(`the demo ended with ${this.#process.exitCode}: ${this.#output}`);
      await new Promise((resolve) => this.#process.stdout?.once("data", resolve));
    }
  }

  get lines(): readonly string[] {
    return this.#output.split("\n");
  }

  async port(): Promise<number> {
    const [, port] = await this.prints(/http:\/\/localhost:(\d+)\s/);
    return Number(port);
  }

  async end(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    return await ended;
  }
}

function call(
  port: number,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const all = text === undefined ? headers : { "content-type": "application/json", ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: "127.0.0.1", method, path, headers: { host: `localhost:${port}`, ...all } },
      (response) => {
        let received = "";
        response.on("data", (chunk: Uint8Array) => (received += String(chunk)));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: received }));
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
}

const ajv = new Ajv2020({ strict: true, allErrors: true });

/** The JSON value of `text`, validated by `schema`. */
function valid<T>(schema: TSchema, text: string): T {
  const value: T = JSON.parse(text);
  const check = ajv.getSchema(String(Reflect.get(schema, "$id"))) ?? ajv.compile(schema);
  assert.equal(check(value), true, ajv.errorsText(check.errors));
  return value;
}

describe("the demo", () => {
  const demo = new Demo();
  let port = 0;

  before(async () => {
    port = await demo.port();
  });
  after(async () => {
    await demo.end();
  });

  it("TRACE-017 TRACE-019: a request through four beans is recorded as nested calls with arguments and results", async () => {
    const id = "four-beans";
    assert.equal((await call(port, "GET", "/products/p-0001", undefined, { "x-framework-dev": id })).status, 200);
    const traces = valid<Trace[]>(TraceList, (await call(port, "GET", "/framework/dev/api/requests")).body);
    const trace = traces.find(({ correlationId }) => correlationId === id);
    assert.ok(trace !== undefined, "the request is among the traces");
    assert.deepEqual(
      [trace.method, trace.path, trace.route, trace.status],
      ["GET", "/products/p-0001", "/products/{id}", 200],
    );
    const chain = deepest(trace.calls);
    assert.ok(chain.length >= 4, `the deepest chain has ${chain.length} calls`);
    assert.deepEqual(
      chain.map(({ depth }) => depth),
      chain.map((_, index) => index),
    );
    assert.ok(chain.slice(1).every(({ args, result }) => args.length > 0 && result !== null));
  });

  it("DEV-002 DEV-003 GRAPH-009: routes and graph are listed, the class-bound bean as unspied", async () => {
    const routes = valid<RouteInfo[]>(RouteList, (await call(port, "GET", "/framework/dev/api/routes")).body);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"]) {
      assert.ok(
        routes.some((route) => route.method === method),
        `a ${method} route`,
      );
    }
    const graph = valid<{ nodes: { id: string }[]; unspied: string[] }>(
      BeanGraph,
      (await call(port, "GET", "/framework/dev/api/graph")).body,
    );
    assert.ok(graph.nodes.length >= 15, `${graph.nodes.length} beans`);
    assert.deepEqual(graph.unspied, ["Postgres", "JobEngine"]);
  });

  it("STREAM-003: each trace is streamed as the list shows it", async () => {
    const event = await firstEvent(port, () => call(port, "GET", "/products"));
    const trace = valid<Trace>(TraceSchema, event);
    const list = valid<Trace[]>(TraceList, (await call(port, "GET", "/framework/dev/api/requests")).body);
    assert.deepEqual(
      list.find(({ sequence }) => sequence === trace.sequence),
      trace,
    );
  });

  it("reports health, metrics and log lines in their shapes", async () => {
    assert.equal(valid<{ status: string }>(HealthResult, (await call(port, "GET", "/health")).body).status, "UP");
    for (const path of ["/nope/1", "/nope/2", "/nope/3"]) assert.equal((await call(port, "GET", path)).status, 404);
    const metrics = valid<{ routes: { method: string; route: string; count: number }[] }>(
      MetricsSnapshot,
      (await call(port, "GET", "/metrics.json")).body,
    );
    assert.deepEqual(
      metrics.routes.filter(({ route }) => route === "UNMATCHED").map(({ method, count }) => [method, count]),
      [["GET", 3]],
    );
    await demo.prints(/"path":"\/nope\/3"/);
    const lines = demo.lines.filter((line) => line.startsWith("{") && line.endsWith("}"));
    for (const line of lines) valid(AccessLogLine, line);
    assert.deepEqual(
      lines.filter((line) => line.includes("/framework/dev")),
      [],
    );
  });

  it("TRACE-027: the calls of 1,000 concurrent requests are kept apart", async () => {
    const nonces = Array.from({ length: 1_000 }, (_, index) => `nonce-${index}`);
    const seen: Trace[] = [];
    await collect(port, seen, async () => {
      const responses = await inBatches(nonces, 100, (nonce) =>
        call(port, "GET", `/products/${nonce}`, undefined, { "x-framework-dev": nonce }),
      );
      assert.deepEqual([...new Set(responses.map(({ status }) => status))], [404]);
      return nonces.length;
    });
    for (const { correlationId, calls } of seen) {
      const recorded = JSON.stringify(calls.map(({ args, error }) => [args, error]));
      assert.deepEqual([...new Set(recorded.match(/nonce-\d+/g))], [correlationId]);
    }
    assert.deepEqual(new Set(seen.map(({ correlationId }) => correlationId)), new Set(nonces));
  });
});

describe("FRAMEWORK_DEVTOOLS=false", () => {
  it("DEV-019: all five paths respond with 404, and the shop works", async () => {
    const demo = new Demo({ FRAMEWORK_DEVTOOLS: "false" });
    const port = await demo.port();
    const paths = ["", "/api/routes", "/api/graph", "/api/requests", "/api/stream"].map(
      (path) => `/framework/dev${path}`,
    );
    const responses = await Promise.all(paths.map((path) => call(port, "GET", path)));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [404, 404, 404, 404, 404],
    );
    assert.equal((await call(port, "GET", "/products/p-0001")).status, 200);
    assert.equal(await demo.end(), 0);
  });
});

/** The longest chain of calls, root first. */
function deepest(calls: readonly Call[]): Call[] {
  const byId = new Map(calls.map((entry) => [entry.id, entry]));
  const chainOf = (entry: Call): Call[] => {
    const parent = entry.parentId === null ? undefined : byId.get(entry.parentId);
    return parent === undefined ? [entry] : [...chainOf(parent), entry];
  };
  return calls.map(chainOf).reduce((longest, chain) => (chain.length > longest.length ? chain : longest), []);
}

async function inBatches<T, R>(items: readonly T[], size: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += size)
    results.push(...(await Promise.all(items.slice(at, at + size).map(run))));
  return results;
}

/** Opens the stream, runs `act` once it is open, and hands every `data:` line to `onData` until it returns true. */
function stream(port: number, act: () => Promise<unknown>, onData: (data: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: "127.0.0.1", path: "/framework/dev/api/stream", headers: { host: `localhost:${port}` } },
      (response) => {
        let rest = "";
        let event = "";
        act().catch(reject);
        response.on("data", (chunk: Uint8Array) => {
          const lines = (rest + String(chunk)).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) {
            if (line.startsWith("event: ")) event = line.slice(7);
            if (event !== "trace" || !line.startsWith("data: ") || !onData(line.slice(6))) continue;
            sent.destroy();
            resolve();
            return;
          }
        });
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

async function firstEvent(port: number, act: () => Promise<unknown>): Promise<string> {
  let first = "";
  await stream(port, act, (data) => ((first = data), true));
  return first;
}

/** Collects as many traces as `act` says that it caused. */
async function collect(port: number, into: Trace[], act: () => Promise<number>): Promise<void> {
  const wanted = 1_000;
  let caused: Promise<number> | undefined;
  await stream(
    port,
    () => (caused = act()),
    (data) => into.push(valid<Trace>(TraceSchema, data)) === wanted,
  );
  assert.equal(await caused, wanted);
}
