/**
 * The worker's manifest against its program, and a rolling restart of two workers in the middle of their jobs.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Framework } from "framework";
import { Work } from "framework/work";
import { pgBossWork } from "framework/work/pg-boss";
import { Pool } from "pg";
import { parseDocument } from "yaml";
import { isPostgresMissing, startPostgres } from "../../test/database-servers.ts";
import { SendInvoice } from "./jobs.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const manifest = read("examples/kubernetes/worker.yaml");

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly strategy: { readonly rollingUpdate: { readonly maxUnavailable: number } };
    readonly selector: unknown;
    readonly template: {
      readonly metadata: { readonly labels: unknown };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [
          {
            readonly env: readonly { readonly name: string; readonly value?: string }[];
            readonly ports: unknown;
            readonly startupProbe: Probe;
            readonly livenessProbe: Probe;
            readonly readinessProbe: Probe;
          },
        ];
      };
    };
  };
}

const document = parseDocument(manifest, { strict: true, uniqueKeys: true });
const { kind, spec } = document.toJS() as Deployment;
const pod = spec.template.spec;
const [container] = pod.containers;
const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value ?? ""]));

/** A worker with the manifest's variables on a free port, which has started. */
async function start(
  t: TestContext,
  databaseUrl: string,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const main = fileURLToPath(new URL("worker.js", import.meta.url));
  const own = { NODE_OPTIONS: "", FRAMEWORK_PORT: "0", DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...env, ...own }, stdio: "pipe" });
  t.after(() => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const url = (): string | undefined => /http:\/\/localhost:\d+/.exec(printed)?.[0];
  while (url() === undefined) await once(child.stdout, "data");
  child.stdout.resume();
  child.stderr.resume();
  return { child, url: url() ?? "" };
}

/** @throws (rejects) when the test is over. */
async function until({ signal }: TestContext, holds: () => Promise<boolean>): Promise<void> {
  for (; !(await holds()); signal.throwIfAborted()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Two workers are replaced while jobs are sent. Each job is done, and none twice. */
async function restartWorkers(t: TestContext, databaseUrl: string, pool: Pool, work: Work): Promise<void> {
  const count = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>("select count(*)::int from invoices");
    return rows[0]?.count ?? 0;
  };
  const workers = await Promise.all([start(t, databaseUrl), start(t, databaseUrl)]);
  for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe])
    assert.equal((await fetch(`${workers[0].url}${httpGet.path}`)).status, 200, httpGet.path);
  let sent = 0;
  const restarted = new AbortController();
  t.signal.addEventListener("abort", () => restarted.abort());
  const sending = (async () => {
    for (; !restarted.signal.aborted; sent += 1)
      await work.send(SendInvoice, { order: String(sent) }, { key: String(sent) });
  })();
  const done = /^job_duration_seconds_count\{job="send-invoice",outcome="done"\} \d+$/m;
  for (const { url } of workers) await until(t, async () => done.test(await (await fetch(`${url}/metrics`)).text()));

  // As a Deployment does it: a new pod is ready, then an old one gets SIGTERM, and ends by itself.
  const codes: unknown[] = [];
  for (const old of workers) {
    await start(t, databaseUrl);
    const ended = once(old.child, "exit");
    old.child.kill("SIGTERM");
    codes.push(await ended);
  }
  restarted.abort();
  await sending;
  await until(t, async () => (await count()) === sent);
  const { rows } = await pool.query("select order_id from invoices where times > 1");
  assert.deepEqual(
    [codes, rows],
    [
      [
        [0, null],
        [0, null],
      ],
      [],
    ],
  );
}

describe("the worker's manifest", () => {
  test("is a Deployment without a Service, and selects its pods", () => {
    assert.deepEqual([...document.errors, ...document.warnings], []);
    assert.deepEqual([kind, spec.selector], ["Deployment", { matchLabels: spec.template.metadata.labels }]);
    assert.deepEqual(container.ports, [{ name: "http", containerPort: Number(env["FRAMEWORK_PORT"]) }]);
    assert.equal(spec.strategy.rollingUpdate.maxUnavailable, 0);
  });

  test("gives the pod more time than the program takes, and a job its whole time", () => {
    const graceMs = Number(env["FRAMEWORK_SHUTDOWN_GRACE_MS"]);
    assert.ok(pod.terminationGracePeriodSeconds * 1_000 > graceMs + 2_000);
    assert.ok(graceMs > SendInvoice.timeoutMs);
  });

  test("is the one that the guide shows", () => {
    const shown = [...read("docs/kubernetes.md").matchAll(/^```yaml[^\n]*\n([^]*?)^```/gm)].map(([, text]) => text);
    assert.ok(shown.includes(manifest));
  });
});

describe("the worker", { skip: isPostgresMissing() }, () => {
  test("serves the probes and the metrics, and loses no job in a rolling restart", { timeout: 120_000 }, async (t) => {
    const { folder, user } = await startPostgres(t);
    const url = `postgres://${user}@localhost/postgres?host=${encodeURIComponent(folder)}`;
    const pool = new Pool({ connectionString: url });
    await pool.query("create table invoices (order_id text primary key, times integer not null default 1)");
    const app = Framework.create({ logger: { warn: () => undefined } }).work(
      pgBossWork({ db: pool, jobs: [SendInvoice] }),
    );
    try {
      await app.ready();
      const work = app.container?.get(Work);
      assert.ok(work !== undefined);
      await restartWorkers(t, url, pool, work);
    } finally {
      await app.stop();
      await pool.end();
    }
  });
});
