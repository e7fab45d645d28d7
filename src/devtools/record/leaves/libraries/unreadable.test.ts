/** A library with a message that throws when it is read: one log line, and no leaf. */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { describe, it } from "node:test";
import { Watched } from "../watched.testkit.ts";
import { faultsOf } from "./published.testkit.ts";

describe("a message that cannot be read", () => {
  const broken = {
    get query(): never {
      throw new Error("query");
    },
    get command(): never {
      throw new Error("command");
    },
    get sql(): never {
      throw new Error("sql");
    },
  };
  const sources: Readonly<Record<string, string>> = {
    "tracing:mysql2:query:start": "mysql2:query",
    "tracing:mysql2:execute:start": "mysql2:execute",
    "tracing:node-redis:command:start": "node-redis:command",
    "tracing:ioredis:command:start": "ioredis:command",
    "sqlite.db.query": "sqlite.db.query",
    "tracing:pino_asJson:start": "pino",
  };
  for (const [name, source] of Object.entries(sources))
    it(`on ${name} is reported once, by its library`, async () => {
      const watched = new Watched({}, () => {
        for (let n = 0; n < 2; n += 1) channel(name).publish(broken);
      });
      assert.deepEqual((await watched.trace()).leaves, []);
      const told = faultsOf(watched).map((line) => line.split(" publishes")[0]);
      assert.deepEqual(told, [`devtools: what ${source}`]);
    });
});
