/** The cluster as a process: killed workers under load, probes during its shutdown, metrics of each worker. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { fetchAgain } from "./retry.ts";

interface Cluster {
  readonly url: string;
  readonly child: ChildProcess;
}

// Below the ephemeral port range, so that the workers' consecutive ports are free.
const metricsPort = 20_000 + (process.pid % 10_000);

function spawned(env: Record<string, string | number>): ChildProcessByStdio<null, Readable, Readable> {
  const main = fileURLToPath(new URL("./main.js", import.meta.url));
  const settings = { PORT: 0, DRAIN_MS: 0, METRICS_PORT: metricsPort, FRAMEWORK_HOST: "127.0.0.1", ...env };
  const strings = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  return spawn(process.execPath, [main], {
    env: { ...process.env, ...Object.fromEntries(strings) },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Starts the cluster on a free port. Resolves when every worker listens. */
async function started(t: TestContext, env: Record<string, string>): Promise<Cluster> {
  const child = spawned(env);
  child.stderr.resume();
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  for await (const line of createInterface(child.stdout)) {
    const url = / workers on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { url, child };
  }
  throw new Error("the cluster ended before it listened");
}

/** The worker that a new connection reaches. */
async function pidOn(url: string): Promise<number> {
  const [response] = (await once(get(`${url}/work`, { agent: false }), "response")) as [IncomingMessage];
  const chunks: unknown[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return (JSON.parse(chunks.join("")) as { pid: number }).pid;
}

const json = { "Content-Type": "application/json" };

describe("the cluster", () => {
  test("loses no idempotent request while workers are killed and replaced", async (t) => {
    const { url, child } = await started(t, { WORKERS: "3" });
    const pids = new Map<number, number>();
    const killed: number[] = [];
    let retried = 0;
    let done = 0;
    const kill = (signal: NodeJS.Signals): void => {
      const victim = [...pids.keys()].find((pid) => !killed.includes(pid));
      if (victim === undefined) return;
      killed.push(victim);
      process.kill(victim, signal);
    };
    const one = async (index: number): Promise<void> => {
      const query = { method: "QUERY", headers: json, body: JSON.stringify([index, 1]) };
      const [path, init] = index % 2 === 0 ? ["/work", {}] : ["/sum", query];
      const response = JSON.parse(await fetchAgain(url + path, init, () => (retried += 1))) as {
        pid: number;
        total?: number;
      };
      if (index % 2 === 1) assert.equal(response.total, index + 1);
      pids.set(response.pid, (pids.get(response.pid) ?? 0) + 1);
      done += 1;
      if (done === 300) kill("SIGKILL");
      if (done === 600) kill("SIGTERM");
    };
    const total = 1_200;
    let next = 0;
    const client = async (): Promise<void> => {
      while (next < total) await one(next++);
    };
    await Promise.all(Array.from({ length: 12 }, client));
    assert.equal(done, total);
    const alive = new Set<number>();
    while (alive.size < 3) alive.add(await pidOn(url));
    assert.deepEqual(
      killed.filter((pid) => alive.has(pid)),
      [],
    );
    assert.equal(killed.length, 2);
    t.diagnostic(`${done} requests, ${retried} repeated, 0 lost, ${pids.size} workers`);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });

  test("is not ready while it shuts down, and serves until the end", async (t) => {
    const { url, child } = await started(t, { WORKERS: "2", DRAIN_MS: "1500" });
    const status = async (path: string): Promise<number> => (await fetch(url + path)).status;
    assert.deepEqual([await status("/health/live"), await status("/health/ready")], [200, 200]);
    const metrics = await fetch(`http://127.0.0.1:${metricsPort + 1}/metrics`);
    assert.match(await metrics.text(), /^# HELP http_server_request_duration_seconds /m);
    child.kill("SIGTERM");
    while ((await status("/health/ready")) === 200) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(
      [await status("/health/ready"), await status("/health/live"), await status("/work")],
      [503, 200, 200],
    );
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });

  test("exits with a sentence if its port, or one for its metrics, is taken", async (t) => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    t.after(() => taken.close());
    const port = (taken.address() as AddressInfo).port;
    // The neighbouring ports may be taken, so only the worker of this one serves metrics.
    for (const ports of [
      { WORKERS: "2", PORT: port },
      { WORKERS: "1", METRICS_PORT: port },
    ]) {
      const child = spawned(ports);
      t.after(() => child.kill("SIGKILL"));
      const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
      assert.equal(code, 1);
      const sentence = `127.0.0.1:${port} is in use: stop what listens there, or choose another port`;
      assert.ok(said.includes(sentence) && said.includes("so the others end too"), said);
      assert.ok(!said.includes("    at "), said);
    }
  });
});
