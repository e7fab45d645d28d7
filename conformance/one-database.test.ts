/**
 * The stores of framework/session, framework/rate-limit and framework/broadcast on a real PostgreSQL, through pg and postgres.js,
 * with several connections at the same time, and while the server hangs, is away and comes back.
 */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { PostgresBroadcast, type PostgresConnection } from "framework/broadcast";
import { PostgresRateLimitStore } from "framework/rate-limit";
import { PostgresSessionStore } from "framework/session";
import { Client, Pool } from "pg";
import postgres from "postgres";
import { isPostgresMissing, type PostgresServer, startPostgres } from "../test/database-servers.ts";

const until = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 5));
};
/** Tries until it is accepted. */
async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const clients: Readonly<Record<string, (server: PostgresServer) => { client: object; end(): Promise<unknown> }>> = {
  pg: ({ folder, user }) => {
    const pool = new Pool({ host: folder, user, database: "postgres", max: 4, connectionTimeoutMillis: 10_000 });
    pool.on("error", () => undefined);
    return { client: pool, end: () => pool.end() };
  },
  "postgres.js": ({ folder, user }) => {
    const path = `${folder}/.s.PGSQL.5432`;
    const sql = postgres({
      path,
      user,
      database: "postgres",
      max: 4,
      backoff: () => 0.05,
      onnotice: () => undefined,
    } as object);
    return { client: sql, end: () => sql.end({ timeout: 0 }) };
  },
};

const never = (): undefined => undefined;

for (const [name, connect] of Object.entries(clients))
  describe(`one database, over ${name}`, { skip: isPostgresMissing() }, () => {
    async function begin(t: TestContext) {
      const server = await startPostgres(t);
      const ends: (() => Promise<unknown>)[] = [];
      t.after(() => Promise.all(ends.map((end) => end())));
      const made = (): object => {
        const { client, end } = connect(server);
        ends.push(end);
        return client;
      };
      return { server, client: made };
    }

    test("sessions: one of many writers creates a key, and many processes create the table at the same time", async (t) => {
      const { client } = await begin(t);
      const stores = Array.from({ length: 6 }, () => new PostgresSessionStore(client(), { timeoutMs: 20_000 }));
      const created = await Promise.all(
        Array.from({ length: 120 }, (_, at) =>
          stores[at % 6]?.write(`key ${at % 20}`, String(at), { ttlMs: at < 60 ? 60_000 : 90_000, mode: "create" }),
        ),
      );
      assert.equal(created.filter(Boolean).length, 20);
      const destroyed = Promise.all(stores.map((store) => store.destroy("key 0")));
      await Promise.all(stores.map((store) => store.write("key 0", "late", { ttlMs: 60_000, mode: "update" })));
      await destroyed;
      assert.deepEqual(await Promise.all(stores.map((store) => store.read("key 0"))), stores.map(never));
    });

    test("limits: no token is given twice between processes", async (t) => {
      const { client } = await begin(t);
      const stores = Array.from({ length: 4 }, () => new PostgresRateLimitStore(client()));
      const bucket = { intervalMs: 3_600_000, burst: 20 };
      const taken = await Promise.all(
        Array.from({ length: 200 }, (_, at) => stores[at % 4]?.take(`client ${at % 2}`, bucket, 1)),
      );
      assert.equal(taken.filter((one) => one?.allowed).length, 40);
      assert.deepEqual(
        taken.filter((one) => one?.allowed === false && !(one.retryMs > 3_500_000)),
        [],
      );
    });

    test("messages: reach every process whole and in one order, and again after the server was away", async (t) => {
      const { server, client } = await begin(t);
      const reports: string[] = [];
      const onError = (what: string): void => void reports.push(what);
      const [one, two] = [0, 1].map(() => new PostgresBroadcast({ client: client(), onError, timeoutMs: 2_000 })) as [
        PostgresBroadcast,
        PostgresBroadcast,
      ];
      t.after(() => Promise.all([one.close(), two.close()]));
      const heard: string[][] = [[], []];
      await one.subscribe("room", (text) => void heard[0]?.push(text));
      await two.subscribe("room", (text) => void heard[1]?.push(text));
      const texts = Array.from({ length: 20 }, (_, at) => `${at} ${"ä".repeat(at * 500)}`);
      await Promise.all(texts.map((text, at) => (at % 2 === 0 ? one : two).publish("room", text)));
      await until(() => heard.every((list) => list.length === texts.length));
      assert.deepEqual([heard[0], heard[0]?.toSorted()], [heard[1], texts.toSorted()]);

      await server.kill();
      await assert.rejects(one.publish("room", "lost"));
      await server.start();
      await insist(async () => {
        await one.publish("room", "back");
        assert.ok(heard.every((list) => list.includes("back")));
      });
      assert.deepEqual([heard[0]?.includes("lost"), name === "pg" && reports.length === 0], [false, false]);
    });
  });

describe("PostgresBroadcast over single clients of pg", { skip: isPostgresMissing() }, () => {
  test("publishes through one and listens through another that connect gives", async (t) => {
    const { folder, user } = await startPostgres(t);
    const connected = async (): Promise<Client> => {
      const client = new Client({ host: folder, user, database: "postgres" });
      client.on("error", () => undefined);
      await client.connect();
      return client;
    };
    const client = await connected();
    const broadcast = new PostgresBroadcast({ client, connect: (): Promise<PostgresConnection> => connected() });
    const heard: string[] = [];
    await broadcast.subscribe("room", (text) => void heard.push(text));
    await broadcast.publish("room", "a");
    await until(() => heard.length > 0);
    await broadcast.close();
    await client.end();
    assert.deepEqual(heard, ["a"]);
  });
});
