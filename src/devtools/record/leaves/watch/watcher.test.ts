/** Devtools.watch: which objects it takes, and that its faults do not reach the application (LEAF). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Devtools } from "../../../index.ts";
import { Watched } from "../watched.testkit.ts";

/** An object with the methods of a pg client. */
const clientWith = (query: (...args: unknown[]) => unknown) => ({
  query,
  connect: () => undefined,
  on: () => undefined,
  escapeIdentifier: String,
});

describe("Devtools.watch", () => {
  it("throws for an object that it does not know, and names those that it knows", () => {
    const devtools = Devtools.create();
    for (const other of [{}, [], () => undefined, { query: () => undefined }])
      assert.throws(
        () => devtools.watch(other),
        new TypeError(
          "devtools.watch takes a Pool of pg, a Client of pg, a client pool of node-redis, a client of node-redis, a database of node:sqlite or better-sqlite3, the function of postgres.js",
        ),
      );
  });

  it("returns the client unchanged if leaves are off", () => {
    const client = clientWith(() => 7);
    const { query } = client;
    assert.equal(Devtools.create({ leaves: false }).watch(client), client);
    assert.equal(client.query, query);
  });

  it("reports a fault of its own once, and runs the client's method all the same", async () => {
    const frozen = Object.freeze(clientWith(() => 7));
    const hostile = {
      get text(): string {
        throw new RangeError("unreadable");
      },
    };
    const client = clientWith(() => ({
      get rows(): unknown {
        throw new RangeError("no rows");
      },
      fields: [1],
    }));
    const watched: Watched = new Watched({}, () => {
      assert.equal(watched.devtools.watch(frozen).query(), 7);
      client.query("select 1");
      client.query(hostile);
    });
    watched.devtools.watch(client);
    const { leaves } = await watched.trace();
    assert.deepEqual(
      leaves.map(({ detail }) => "statement" in detail && detail.statement),
      ["select 1"],
    );
    assert.deepEqual(
      watched.lines.filter((line) => line.startsWith("devtools: what")),
      ["devtools: what a Client of pg publishes could not be shown: TypeError: Cannot redefine property: query"],
    );
  });

  it("records into the runs of each devtools that watch a client", async () => {
    const client = clientWith((text) => text);
    const both = [1, 2].map(() => new Watched({}, () => client.query("select 1")));
    for (const { devtools } of both) devtools.watch(client);
    for (const watched of both) assert.equal((await watched.trace()).leaves.length, 1);
  });
});
