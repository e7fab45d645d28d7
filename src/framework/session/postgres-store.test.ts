/** Sessions in a PostgreSQL, here PGlite (SESSION). A server and its failures are in conformance/one-database.test.ts. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { PostgresSessionStore } from "./index.ts";
import { createClient } from "./sessions.testkit.ts";

describe("PostgresSessionStore", () => {
  const database = new PGlite();
  before(() => database.waitReady);
  after(() => database.close());
  const rowsOf = async (table: string): Promise<unknown[]> =>
    (await database.query(`select key, value from ${table} order by key`)).rows;

  test("creates its table, and creates, updates, reads, touches and destroys, each in one statement", async () => {
    const store = new PostgresSessionStore(database, { table: "public.kept" });
    const ttlMs = 60_000;
    const outcomes = [
      await store.write("a", "é 1", { ttlMs, mode: "update" }),
      await store.write("a", "é 1", { ttlMs, mode: "create" }),
      await store.write("a", "é 2", { ttlMs, mode: "create" }),
      await store.read("a"),
      await store.write("a", "é 3", { ttlMs, mode: "update" }),
      await store.read("a"),
      await store.touch("a", 90_000),
      await store.touch("b", 90_000),
      await new PostgresSessionStore(database).read("a"),
      await store.destroy("a"),
      await store.destroy("a"),
      await store.read("a"),
    ];
    const nothing = Array.from({ length: 4 }, () => undefined);
    assert.deepEqual(outcomes, [false, true, false, "é 1", true, "é 3", true, false, ...nothing]);
  });

  test("ends a session at its time, and then accepts its key again", async () => {
    const store = new PostgresSessionStore(database, { table: "short" });
    await store.write("a", "1", { ttlMs: 1, mode: "create" });
    while ((await store.read("a")) !== undefined);
    assert.deepEqual(
      [
        await store.touch("a", 1_000),
        await store.write("a", "2", { ttlMs: 1_000, mode: "update" }),
        await store.write("a", "3", { ttlMs: 60_000, mode: "create" }),
        await store.read("a"),
      ],
      [false, false, true, "3"],
    );
  });

  test("deletes two expired sessions with each new one, so the table stays as small as what it holds", async () => {
    const store = new PostgresSessionStore(database, { table: "swept" });
    for (const key of ["a", "b", "c"]) await store.write(key, key, { ttlMs: 60_000, mode: "create" });
    await database.query("update swept set ends_at = now() - interval '1 second'");
    await store.write("d", "d", { ttlMs: 60_000, mode: "create" });
    assert.equal((await rowsOf("swept")).length, 2);
    await store.write("e", "e", { ttlMs: 60_000, mode: "create" });
    assert.deepEqual(await rowsOf("swept"), [
      { key: "d", value: "d" },
      { key: "e", value: "e" },
    ]);
  });

  test("keeps the session of an app, for another process too", async () => {
    const store = new PostgresSessionStore(database);
    const one = createClient({ store });
    await one.get("/login?user=Ada");
    const other = createClient({ store: new PostgresSessionStore(database) });
    other.jar = one.jar;
    await other.get("/add?sku=lamp");
    assert.deepEqual(await one.json("/read"), { user: "Ada", cart: ["lamp"], isNew: false });
    await one.get("/destroy");
    assert.equal((await other.json("/read"))["user"], null);
  });
});

describe("new PostgresSessionStore", () => {
  const client = { query: () => new Promise<never>(() => undefined) };
  test("names the invalid option", () => {
    assert.throws(() => new PostgresSessionStore({}), { code: "POSTGRES_CLIENT" });
    for (const table of ["", "a b", 'a"b', "a.b.c", "1a", "x".repeat(51)])
      assert.throws(() => new PostgresSessionStore(client, { table }), {
        code: "CONFIG_INVALID",
        message: `table of PostgresSessionStore is ${JSON.stringify(table)}: a name, or a schema and a name, of letters, digits and "_" is allowed`,
      });
    for (const timeoutMs of [0, Number.NaN, 2 ** 31])
      assert.throws(() => new PostgresSessionStore(client, { timeoutMs }), { code: "CONFIG_INVALID" });
  });

  test("SESSION-017: is 503 in bounded time when the server does not reply", async () => {
    const app = createClient({ store: new PostgresSessionStore(client, { timeoutMs: 30 }) });
    const startedAt = performance.now();
    assert.equal((await app.get("/login?user=Ada")).response.status, 503);
    assert.ok(performance.now() - startedAt < 1_000);
  });
});

describe("the statements of a PostgresSessionStore", () => {
  /** A store whose statements fail with these codes in order, then succeed, and the first words of what it has sent. */
  function failing(...codes: readonly string[]): { store: PostgresSessionStore; sent: string[] } {
    const sent: string[] = [];
    const left = [...codes];
    const query = async (text: string): Promise<unknown> => {
      sent.push(text.split(" ").slice(0, 2).join(" "));
      const code = left.shift();
      if (code === undefined || code === "") return { rows: [{ value: "1" }] };
      throw Object.assign(new Error(code), code.startsWith("~") ? { cause: { code: code.slice(1) } } : { code });
    };
    return { store: new PostgresSessionStore({ query }), sent };
  }

  test("run again after the table was created, also by another process, and after a conflict", async () => {
    const { store, sent } = failing("~42P01", "23505", "", "40001");
    assert.equal(await store.read("a"), "1");
    assert.deepEqual(sent, ["select value", "create table", "create index", "select value", "select value"]);
  });

  test("fail with the error of the server, also when the table may not be created", async () => {
    for (const codes of [["42501"], ["42P01", "42501"], Array.from({ length: 4 }, () => "40P01")])
      await assert.rejects(failing(...codes).store.read("a"), { message: codes.at(-1) });
  });
});
