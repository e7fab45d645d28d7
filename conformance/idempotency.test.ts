/**
 * 1,000 equal POSTs at the same time, over several processes that are killed while they run: one effect, and one response for
 * all.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Pool } from "pg";
import { isPostgresMissing, startPostgres } from "../test/database-servers.ts";
import { isRedisMissing, startRedis } from "../test/redis-server.ts";

/** An instance, for the duration of the test. Returns its port. */
async function startInstance(t: TestContext, args: readonly string[]): Promise<number> {
  const program = fileURLToPath(new URL("./once-process.js", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=modules", program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [first] = (await once(createInterface(child.stdout), "line")) as [string];
  return Number(first.replace("port ", ""));
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** The status and the body, or 0 when the connection broke. */
function post(port: number): Promise<readonly [status: number, text: string]> {
  return new Promise((resolve) => {
    const headers = { "Idempotency-Key": '"the order"', "Content-Type": "application/json" };
    const sent = request({ port, host: "127.0.0.1", path: "/orders", method: "POST", agent, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += String(chunk)));
      response.on("end", () => resolve([response.statusCode ?? 0, text]));
      response.on("error", () => resolve([0, ""]));
    });
    sent.on("error", () => resolve([0, ""]));
    sent.end("{}");
  });
}

/** Sends it to one instance after the other until it is placed. */
async function insist(ports: readonly number[], from: number, statuses: Map<number, number>): Promise<string> {
  for (let at = from; ; at += 1) {
    const [status, text] = await post(ports[at % ports.length] ?? 0);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 201) return text;
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400));
  }
}

describe("IdempotencyMiddleware over several processes", { skip: isPostgresMissing() || isRedisMissing() }, () => {
  for (const [kind, attempts] of [
    ["postgres", 3],
    ["redis", 2],
  ] as const)
    test(`IDEM-001: 1,000 equal requests have one effect in ${kind}, although processes die before, in and after it`, async (t) => {
      const { folder } = await startPostgres(t);
      const pool = new Pool({ host: folder, user: "tester", database: "postgres", max: 1 });
      pool.on("error", () => undefined);
      t.after(() => pool.end());
      t.after(() => agent.destroy());
      await pool.query("create sequence attempt");
      await pool.query("create table effects (attempt int not null)");
      const path = kind === "redis" ? (await startRedis(t)).path : folder;
      const ports = await Promise.all(Array.from({ length: 5 }, () => startInstance(t, [kind, path, folder])));
      const statuses = new Map<number, number>();
      const startedAt = performance.now();
      const texts = await Promise.all(Array.from({ length: 1_000 }, (_, at) => insist(ports, at, statuses)));
      t.diagnostic(
        `${Math.round(performance.now() - startedAt)} ms; responses by status, 0 for a broken connection: ${JSON.stringify([...statuses])}`,
      );
      const { rows } = await pool.query("select attempt from effects");
      const ran = await pool.query("select last_value::int as last from attempt");
      const [effect] = rows;
      assert.deepEqual([rows.length, [...new Set(texts)]], [1, [JSON.stringify(effect)]]);
      // An attempt that a busy machine holds up for longer than its lease has no effect, and is followed by another.
      assert.ok(ran.rows[0].last >= attempts, String(ran.rows[0].last));
    });
});
