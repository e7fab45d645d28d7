/**
 * Accounts in PostgreSQL, with each library: what a transaction promises, and where its SQL is in the dashboard.
 *
 *   request ──▶ service ──▶ transaction ──▶ repository ──▶ library ──▶ pg ──▶ a PostgreSQL of the test's own
 *
 * The pool has two connections and eight requests come at once, so requests wait for each other's connections. In a process
 * of its own, since pg is patched while it is loaded.
 */
import { openBank } from "./testing.ts"; // first: it patches pg
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { Trace } from "@framework/devtools";
import type { PoolConfig } from "pg";
import { isPostgresMissing, startPostgres } from "../../test/database-servers.ts";
import type { Account, Store } from "./accounts.ts";
import { migrated } from "./migrations.ts";
import { pgStore } from "./pg-accounts.ts";
import { Postgres } from "./postgres.ts";
import { prismaStore } from "./prisma-accounts.ts";
import { stores } from "./stores.ts";

const eight = [0, 1, 2, 3, 4, 5, 6, 7];

test("accounts in PostgreSQL", { skip: isPostgresMissing() }, async (t) => {
  const server = await startPostgres(t);
  const options = "-c deadlock_timeout=10ms";
  const database: PoolConfig = { host: server.folder, user: server.user, database: "postgres", max: 2, options };
  await t.test("processes that start together migrate once", () => migratesOnce(database));
  const control = await migrated(new Postgres({ ...database, application_name: "control" }));
  try {
    await t.test("a pool whose migrations fail is closed", () => closesAfterFailure(database, control));
    for (const [name, store] of Object.entries(stores))
      await t.test(`with ${name}`, (inner) => everything(inner, { database, control, name, store }));
    await t.test("a connection that breaks while idle is replaced", (inner) => replacesIdle(inner, database, control));
    await t.test("a request that gets no connection in time is 500", (inner) => failsInTime(inner, database));
    await t.test("the pool is closed with the app", (inner) => closesWithApp(inner, database, control));
  } finally {
    await control.close();
  }
});

async function migratesOnce(database: PoolConfig): Promise<void> {
  const opened = await Promise.all(eight.map(() => migrated(new Postgres(database))));
  for (const postgres of opened)
    assert.deepEqual(await postgres.query("select version from migrations"), [{ version: 1 }]);
  for (const postgres of opened) await postgres.close();
}

async function closesAfterFailure(database: PoolConfig, control: Postgres): Promise<void> {
  const application = "fails";
  const options = "-c default_transaction_read_only=on";
  await assert.rejects(migrated(new Postgres({ ...database, application_name: application, options })), {
    code: "25006",
  });
  await untilConnections(control, application, 0);
}

/** Waits until PostgreSQL has that many connections of an application. */
async function untilConnections(control: Postgres, application: string, wanted: number): Promise<void> {
  const count = "select count(*)::int as count from pg_stat_activity where application_name = $1";
  while ((await control.query<{ count: number }>(count, [application]))[0]?.count !== wanted);
}

test("the guides show the code that is tested here", () => {
  const root = new URL("../../../", import.meta.url); // this runs compiled, in .build/examples/databases
  const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
  const lines = (text: string): readonly string[] =>
    text.split("\n").flatMap((line) => line.trim().replace(/^export /, "") || []);
  const files = readdirSync(new URL("examples/databases", root)).filter((name) => name.endsWith(".ts"));
  const here = new Set(files.flatMap((name) => lines(read(`examples/databases/${name}`))));
  for (const page of ["docs/databases.md", "docs/orm.md"]) {
    const blocks = [...read(page).matchAll(/^```ts (?:file|skip)=.*\n([^]*?)^```/gm)].map(([, code = ""]) => code);
    const shown = blocks.flatMap(lines).filter((line) => !line.startsWith("import "));
    assert.deepEqual([shown.filter((line) => !here.has(line)), shown.length > 20], [[], true], page);
  }
});

interface Setting {
  readonly database: PoolConfig;
  /** A connection that is not the bank's. */
  readonly control: Postgres;
  readonly name: string;
  readonly store: Store;
}

async function everything(t: TestContext, { database, control, name, store }: Setting): Promise<void> {
  const { app, events, errors, get, post } = await openBank(t, database, store);
  t.beforeEach(() => control.query("delete from accounts"));
  const stored = async (): Promise<Readonly<Record<string, number>>> => {
    const rows = await control.query<Account>('select owner, cents from accounts order by owner collate "C"');
    return Object.fromEntries(rows.map(({ owner, cents }) => [owner, cents]));
  };
  const open = async (accounts: Readonly<Record<string, number>>): Promise<void> => {
    for (const [owner, cents] of Object.entries(accounts))
      assert.equal((await post("/accounts", { owner, cents }))[0], 201);
  };
  const detail = ([status, body]: readonly [number, unknown]): readonly unknown[] => [
    status,
    (body as { readonly detail?: string }).detail,
  ];

  await t.test("a transfer is committed before its response leaves", async () => {
    await open({ ada: 100, bob: 0 });
    assert.deepEqual(await post("/transfers", { from: "ada", to: "bob", cents: 30 }), [204, ""]);
    assert.deepEqual(await stored(), { ada: 70, bob: 30 });
    assert.deepEqual(await get("/accounts/bob"), [200, { owner: "bob", cents: 30 }]);
  });

  await t.test("a throw rolls back what was written before it", async () => {
    await open({ ada: 10 });
    const gone = await post("/transfers", { from: "nobody", to: "ada", cents: 5 });
    assert.deepEqual(detail(gone), [404, "nobody has no account"]);
    assert.deepEqual(await stored(), { ada: 10 });
  });

  await t.test("what PostgreSQL rejects is rolled back, and is 409", async () => {
    await open({ ada: 10, bob: 0 });
    const poor = await post("/transfers", { from: "ada", to: "bob", cents: 11 });
    assert.deepEqual(detail(poor), [409, "a rule of the database forbids it"]);
    assert.deepEqual(detail(await post("/accounts", { owner: "ada", cents: 0 })), [409, "it exists already"]);
    assert.deepEqual(await stored(), { ada: 10, bob: 0 });
  });

  await t.test("a violated exclusion constraint is 409", async () => {
    await control.query("alter table accounts add constraint apart exclude using btree (cents with =)");
    await open({ ada: 1 });
    assert.deepEqual(detail(await post("/accounts", { owner: "bob", cents: 1 })), [
      409,
      "it overlaps with one that exists",
    ]);
    await control.query("alter table accounts drop constraint apart");
    assert.deepEqual(await stored(), { ada: 1 });
  });

  await t.test("a commit that fails is the response", async () => {
    await control.query("alter table accounts add constraint once unique (cents) deferrable initially deferred");
    assert.deepEqual(detail(await post("/two/a/b")), [409, "it exists already"]);
    await control.query("alter table accounts drop constraint once");
    assert.deepEqual(await stored(), {});
  });

  await t.test("two concurrent requests do not share a transaction", async () => {
    const written = once(events, "written");
    const first = post("/waits/ada");
    await written;
    assert.equal((await get("/accounts/ada"))[0], 404);
    await open({ bob: 1 });
    events.emit("go");
    assert.equal((await first)[0], 418);
    assert.deepEqual(await stored(), { bob: 1 });
  });

  await t.test("a deadlock is 503 for one of the two", async () => {
    await open({ ada: 0, bob: 0 });
    let waiting = 0;
    const both = new Promise<void>((resolve) => events.on("waiting", () => (waiting += 1) === 2 && resolve()));
    const responses = [post("/both/ada/bob"), post("/both/bob/ada")];
    await both;
    events.emit("go");
    const statuses = (await Promise.all(responses)).map(([status]) => status);
    assert.deepEqual(statuses.toSorted(), [200, 503]);
    assert.deepEqual(await stored(), { ada: 1, bob: 1 });
  });

  await t.test("a run inside a run that fails takes only its own writes with it", async () => {
    assert.deepEqual(await post("/nests"), [200, "nested"]);
    assert.deepEqual(await stored(), { "inner 5": 1, innermost: 5, outer: 1 });
  });

  await t.test("a transaction that PostgreSQL gave up is no success, though the code caught the error", async () => {
    assert.equal((await post("/swallows/ada"))[0], 500);
    assert.deepEqual([await stored(), errors.length], [{}, 1]);
  });

  await t.test("work that nobody awaited is rejected after the transaction", async () =>
    assert.match(String((await post("/forgets/ada"))[1]), /^Error: the transaction is over/),
  );

  await t.test("a mistake in the SQL is 500, and logged", async () => {
    assert.deepEqual((await post("/broken"))[0], 500);
    assert.equal(errors.at(-1), "POST /broken failed");
  });

  await t.test("eight requests at once have their own SQL under their own beans", async () => {
    await open(
      Object.fromEntries(
        eight.flatMap((at) => [
          [`from-${at}`, 1],
          [`to-${at}`, 0],
        ]),
      ),
    );
    const moved = eight.map((at) => post("/transfers", { from: `from-${at}`, to: `to-${at}`, cents: 1 }));
    assert.deepEqual(new Set((await Promise.all(moved)).map(([status]) => status)), new Set([204]));
    assert.equal(
      (await Promise.all(eight.map((at) => get(`/accounts/to-${at}`)))).every(([status]) => status === 200),
      true,
    );
    const traces = (await (await fetch(`${app.url}/framework/dev/api/requests`)).json()) as Trace[];
    const shown = (path: string): readonly string[] =>
      traces
        .filter((trace) => trace.path.startsWith(path))
        .slice(0, 8)
        .map(sqlOf)
        .toSorted();
    const check = ["drizzle", "prisma"].includes(name) ? ["Transactions.run SELECT"] : [];
    assert.deepEqual(
      shown("/transfers"),
      eight.map((at) =>
        [
          "Transactions.run BEGIN",
          `AccountRepository.change UPDATE to-${at}`,
          `AccountRepository.change UPDATE from-${at}`,
          ...check,
          "Transactions.run COMMIT",
        ].join("\n"),
      ),
    );
    assert.deepEqual(
      shown("/accounts/"),
      eight.map((at) => `AccountRepository.find SELECT to-${at}`),
    );
  });
}

/** The leaves of a run, a line each: the call that each is below, the statement's verb and the account that it is about. */
function sqlOf({ calls, leaves }: Trace): string {
  const lines = leaves.map((leaf) => {
    const call = calls.find(({ id }) => id === leaf.parentId);
    const parameters = leaf.kind === "sql" ? leaf.detail.parameters : [];
    const owner = parameters.find((value) => /^(from|to)-\d$/.test(String(value)));
    return [`${call?.bean}.${call?.method}`, leaf.name, owner].filter((part) => part !== undefined).join(" ");
  });
  return lines.join("\n");
}

async function replacesIdle(t: TestContext, database: PoolConfig, control: Postgres): Promise<void> {
  const application = "idle";
  const { get, warnings } = await openBank(t, { ...database, application_name: application }, pgStore);
  assert.deepEqual(await get("/health"), [200, { status: "UP", checks: { database: "UP" } }]);
  await control.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
    application,
  ]);
  while (!warnings.some((line) => line.startsWith("an idle connection broke")))
    await untilConnections(control, application, 0);
  assert.equal((await get("/accounts/ada"))[0], 404);
}

async function failsInTime(t: TestContext, database: PoolConfig): Promise<void> {
  const { events, errors, get, post } = await openBank(
    t,
    { ...database, max: 1, connectionTimeoutMillis: 1_000 },
    pgStore,
  );
  const written = once(events, "written");
  const holding = post("/waits/ada");
  await written;
  assert.equal((await get("/accounts/ada"))[0], 500);
  assert.deepEqual(errors, ["GET /accounts/{owner} failed"]);
  events.emit("go");
  assert.equal((await holding)[0], 418);
}

async function closesWithApp(t: TestContext, database: PoolConfig, control: Postgres): Promise<void> {
  const application = "stops";
  const bank = await openBank(t, { ...database, application_name: application }, prismaStore);
  const written = once(bank.events, "written");
  const response = bank.post("/waits/ada");
  await written;
  const stopped = bank.app.stop();
  bank.events.emit("go");
  assert.equal((await response)[0], 418);
  await stopped;
  await untilConnections(control, application, 0);
}
