/**
 * Leaves of real libraries on real servers: node-redis and ioredis, mysql2 with MariaDB, pg with PostgreSQL by its
 * OpenTelemetry instrumentation, pino, and `node:sqlite` if Node publishes it.
 *
 *   route ──▶ bean ──▶ library ──▶ server on a Unix socket in a folder of the test's own
 *
 * Missing programs are skipped with that reason.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { Devtools, type Leaf, type Trace } from "@framework/devtools";
import { Beans, Framework, Interface } from "framework";
import { Redis } from "ioredis";
import { createConnection } from "mysql2/promise";
import type { Client } from "pg";
import { pino } from "pino";
import { createClient } from "redis";
import { isMariaDbMissing, isPostgresMissing, startMariaDb, startPostgres } from "../test/database-servers.ts";
import { isRedisMissing, startRedis } from "../test/redis-server.ts";

interface Repository {
  load(): Promise<unknown>;
}
const Repository = Interface<Repository>("Repository");

/** The leaves of a run with a bean that calls `load`. Each must be below the bean's call. */
async function leavesOf(load: () => unknown, prepare?: (devtools: Devtools) => void): Promise<readonly Leaf[]> {
  const devtools = Devtools.create();
  prepare?.(devtools);
  const beans = Beans.builder()
    .bind(Repository, () => ({ load: async () => await load() }))
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({ logger: { warn() {}, error: (line) => assert.fail(line) } }).beans(beans);
  app.get("/", [Repository, "load"]);
  devtools.install(app, beans);
  assert.equal((await app.fetch(new Request("http://localhost/"))).status, 204);
  const list = new Request("http://localhost/framework/dev/api/requests", { headers: { host: "localhost" } });
  const [trace] = (await (await app.fetch(list, { peerAddress: "127.0.0.1" })).json()) as Trace[];
  await app.stop();
  assert.ok(trace !== undefined);
  for (const { parentId, durationUs } of trace.leaves) assert.deepEqual([parentId, durationUs === null], [0, false]);
  return trace.leaves;
}

/** Kind, name, detail and error of each. */
const shown = (leaves: readonly Leaf[]): readonly unknown[] =>
  leaves.map(({ kind, name, detail, error }) => [kind, name, detail, error?.message]);

const command = (name: string, key: string, args: readonly unknown[], hit: boolean | null): readonly unknown[] => [
  "cache",
  name,
  { system: "redis", command: name, key, args, hit },
  undefined,
];

describe("leaves of libraries", () => {
  test("commands of node-redis and of ioredis", { skip: isRedisMissing() }, async (t) => {
    const server = await startRedis(t);
    const redis = await createClient({ socket: { path: server.path, tls: false } }).connect();
    const ioredis = new Redis(server.path);
    await once(ioredis, "ready"); // Commands that it queues until then are sent outside of any request.
    const leaves = await leavesOf(async () => {
      await redis.set("a", "secret value");
      await redis.get("a");
      await ioredis.get("b");
      await ioredis.call("NOSUCH", "a").catch(() => undefined);
    }).finally(() => {
      redis.destroy();
      ioredis.disconnect();
    });
    const [set, get, missed, failed] = shown(leaves);
    assert.deepEqual(
      [set, get, missed],
      [command("SET", "a", ["?"], null), command("GET", "a", [], true), command("GET", "b", [], false)],
    );
    assert.match(JSON.stringify(failed), /"NOSUCH".*unknown command/);
  });

  test("statements of mysql2", { skip: isMariaDbMissing() }, async (t) => {
    const server = await startMariaDb(t);
    const connection = await createConnection({ socketPath: server.path, user: "root" });
    t.after(() => connection.destroy());
    const leaves = await leavesOf(async () => {
      await connection.query("create temporary table test.t (a int)");
      await connection.execute("insert into test.t values (?), (?)", [7, 8]);
      await connection.query("select a from test.t where a > ?", [7]);
      await connection.query("select nothing").catch(() => undefined);
    });
    const sql = (
      name: string,
      statement: string,
      parameters: readonly unknown[],
      rows: number | null,
      result?: unknown,
    ): readonly unknown[] => [
      "sql",
      name,
      { system: "mysql", statement, parameters, rows, ...(result === undefined ? {} : { result }) },
    ];
    assert.deepEqual(shown(leaves), [
      [...sql("CREATE", "create temporary table test.t (a int)", [], 0), undefined],
      [...sql("INSERT", "insert into test.t values (?), (?)", [7, 8], 2), undefined],
      // `query` inserts the values into the text.
      [...sql("SELECT", "select a from test.t where a > 7", [7], 1, [{ a: 8 }]), undefined],
      [...sql("SELECT", "select nothing", [], null), leaves[3]?.error?.message],
    ]);
    assert.match(leaves[3]?.error?.message ?? "", /^Unknown column 'nothing'/);
  });

  test("statements of pg, by its OpenTelemetry instrumentation", { skip: isPostgresMissing() }, async (t) => {
    const server = await startPostgres(t);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    t.after(() => context.disable());
    const instrumentation = new PgInstrumentation({ enhancedDatabaseReporting: true, requireParentSpan: false });
    t.after(() => instrumentation.disable());
    const pg = createRequire(import.meta.url)("pg") as { readonly Client: typeof Client };
    const client = new pg.Client({ host: server.folder, user: server.user, database: "postgres" });
    await client.connect();
    const load = async (): Promise<void> => void (await client.query("select $1::int as a", [7]));
    const instrument = (devtools: Devtools): void =>
      instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [devtools.spanProcessor()] }));
    const detail = { system: "postgresql", statement: "select $1::int as a", parameters: ["7"], rows: null };
    const spans = await leavesOf(load, instrument);
    // A watched client's statement is one leaf all the same.
    const watched = await leavesOf(load, (devtools) => {
      instrument(devtools);
      devtools.watch(client);
    }).finally(() => client.end());
    assert.deepEqual(shown(spans), [["sql", "SELECT", detail, undefined]]);
    const whole = { ...detail, parameters: [7], rows: 1, result: [{ a: 7 }] };
    assert.deepEqual(shown(watched), [["sql", "SELECT", whole, undefined]]);
  });

  test("lines of pino, with their fields and without their secrets", async () => {
    const lines: string[] = [];
    const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });
    const leaves = await leavesOf(() => log.child({ a: 1 }).warn({ order: 7, password: "hunter2-long" }, "paid"));
    const detail = { level: "warn", message: "paid", fields: { order: 7, password: "[redacted]" } };
    assert.deepEqual(shown(leaves), [["log", "warn", detail, undefined]]);
    assert.equal(lines.length, 1);
  });

  test("statements of node:sqlite if Node publishes them", async (t) => {
    if (Number.parseInt(process.versions.node, 10) < 26) return t.skip("this Node publishes nothing of node:sqlite");
    const sqlite = "node:sqlite";
    const { DatabaseSync } = (await import(sqlite)) as {
      DatabaseSync: new (path: string) => { exec(sql: string): void };
    };
    const database = new DatabaseSync(":memory:");
    const [leaf] = await leavesOf(() => database.exec("create table t (a)"));
    const detail = { system: "sqlite", statement: "create table t (a)", parameters: [], rows: null };
    assert.deepEqual([leaf?.kind, leaf?.name, leaf?.detail], ["sql", "CREATE", detail]);
  });
});
