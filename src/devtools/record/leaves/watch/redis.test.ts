/** node-redis with devtools.watch: commands with their values, MULTI, pipelines and pools (LEAF). */
import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { createClient, createClientPool } from "redis";
import type { Leaf } from "../../../index.ts";
import { Watched } from "../watched.testkit.ts";
import { redisServer, type TestServer } from "./servers.testkit.ts";

let server: TestServer | undefined;
before(async () => {
  server = await redisServer();
});
after(() => server?.close());

const optionsOf = () => ({ socket: { host: "127.0.0.1", port: server?.port ?? 0 }, RESP: 2 }) as const;
const clientFor = (t: TestContext) => {
  const client = createClient(optionsOf()).on("error", () => undefined);
  t.after(() => client.destroy());
  return client;
};

const shown = (leaves: readonly Leaf[]): readonly unknown[] =>
  leaves.map(({ kind, parentId, detail, error, durationUs }) => {
    assert.deepEqual([kind, parentId, durationUs === null], ["cache", 0, false]);
    const { command, key, args, hit } = detail as { command: string; key: string; args: unknown; hit: boolean | null };
    return [command, key, args, hit, error?.message];
  });

describe("Devtools.watch, for node-redis", () => {
  it("shows each command once, with its values, hit and error", async (t) => {
    const client = clientFor(t);
    const watched: Watched = new Watched({}, (_, store) =>
      store.load(async () => {
        await client.set("a", "one");
        assert.equal(await client.get("a"), "one");
        assert.equal(await client.withTypeMapping({}).get("b"), null);
        await client.sendCommand(["NOSUCH", "c"]).catch(() => undefined);
        await client.sendCommand(["AUTH", "hunter2"]).catch(() => undefined);
      }),
    );
    assert.equal(watched.devtools.watch(watched.devtools.watch(client)), client);
    const derived = client.withTypeMapping({});
    assert.equal(watched.devtools.watch(derived), derived);
    await client.connect();
    assert.deepEqual(shown((await watched.trace()).leaves), [
      ["SET", "a", ["one"], null, undefined],
      ["GET", "a", [], true, undefined],
      ["GET", "b", [], false, undefined],
      ["NOSUCH", "c", [], null, "ERR unknown command 'NOSUCH'"],
      ["AUTH", "", [], null, "ERR unknown command 'AUTH'"],
    ]);
  });

  it("shows the commands of a MULTI and of a pipeline, with the error of each", async (t) => {
    const client = clientFor(t);
    const watched: Watched = new Watched({}, (_, store) =>
      store.load(async () => {
        assert.deepEqual(await client.multi().set("k", "v").get("k").get("none").exec(), ["OK", "v", null]);
        await client
          .multi()
          .get("k")
          .addCommand(["NOSUCH"])
          .exec()
          .catch(() => undefined);
        assert.deepEqual(await client.multi().get("k").execAsPipeline(), ["v"]);
        client.destroy();
        await assert.rejects(client.multi().get("k").exec(), /closed/);
      }),
    );
    watched.devtools.watch(client);
    await client.connect();
    assert.deepEqual(shown((await watched.trace()).leaves), [
      ["MULTI", "", [], null, undefined],
      ["SET", "k", ["v"], null, undefined],
      ["GET", "k", [], true, undefined],
      ["GET", "none", [], false, undefined],
      ["MULTI", "", [], null, undefined],
      ["GET", "k", [], true, undefined],
      ["NOSUCH", "", [], null, "ERR unknown command 'NOSUCH'"],
      ["GET", "k", [], true, undefined],
      ["MULTI", "", [], null, "The client is closed"],
      ["GET", "k", [], null, "The client is closed"],
    ]);
  });

  it("LEAF-009: keeps eight runs apart that wait for the one client of a pool", async (t) => {
    const pool = createClientPool(optionsOf(), { minimum: 1, maximum: 1 });
    const watched: Watched = new Watched({}, (ctx, store) =>
      store.load(async () => {
        const { id = "" } = ctx.params;
        await pool.set("id", id);
        await pool.multi().get(id).exec();
        await pool.execute(async (client) => client.get(id));
      }),
    );
    assert.equal(watched.devtools.watch(pool), pool);
    await pool.connect();
    t.after(() => pool.destroy());
    await Promise.all(Array.from({ length: 8 }, (_, id) => watched.app.fetch(new Request(`http://localhost/${id}`))));
    const traces = (await watched.traces()).toSorted((a, b) => a.path.localeCompare(b.path));
    assert.deepEqual(
      traces.map(({ leaves }) => shown(leaves)),
      Array.from({ length: 8 }, (_, id) => [
        ["SET", "id", [`${id}`], null, undefined],
        ["MULTI", "", [], null, undefined],
        ["GET", `${id}`, [], false, undefined],
        ["GET", `${id}`, [], false, undefined],
      ]),
    );
  });
});
