/**
 * Libraries: what each publishes on its channels, as leaves. The messages are those of the libraries themselves; with the
 * libraries and their servers they are read in conformance/leaf-sources.test.ts.
 */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { describe, it } from "node:test";
import { type CacheDetail, type Leaf, type SqlDetail, step } from "../../index.ts";
import { Watched } from "./watched.testkit.ts";

/** What is told of that could not be shown. */
const faultsOf = ({ lines }: Watched): readonly string[] => lines.filter((line) => line.includes("could not be shown"));

/** The leaves of a run in which that is published. */
async function leavesOf(publish: () => void): Promise<readonly Leaf[]> {
  const watched = new Watched({}, publish);
  const { leaves } = await watched.trace();
  assert.deepEqual(faultsOf(watched), []);
  return leaves;
}

/** What is published of one thing that has begun and ended. */
function traced(name: string, begun: object, ended: object): void {
  const message = { ...begun };
  channel(`tracing:${name}:start`).publish(message);
  channel(`tracing:${name}:asyncStart`).publish(Object.assign(message, ended));
}

/** The details of statements that mysql2 has published. */
async function statements(
  ...given: readonly (readonly [begun: object, ended: object])[]
): Promise<readonly SqlDetail[]> {
  const leaves = await leavesOf(() => given.forEach(([begun, ended]) => traced("mysql2:query", begun, ended)));
  return leaves.map((leaf) => (leaf.kind === "sql" ? leaf.detail : assert.fail(leaf.kind)));
}

/** The details of commands that a client of Redis has published. */
async function commands(
  name: string,
  ...given: readonly (readonly [begun: object, ended: object])[]
): Promise<readonly CacheDetail[]> {
  const leaves = await leavesOf(() => given.forEach(([begun, ended]) => traced(name, begun, ended)));
  return leaves.map((leaf) => (leaf.kind === "cache" ? leaf.detail : assert.fail(leaf.kind)));
}

describe("mysql2", () => {
  it("a statement is a leaf, by query and by execute, and one that fails has its error", async () => {
    const leaves = await leavesOf(() => {
      traced("mysql2:query", { query: "select 1", values: [7] }, { result: [{ a: 1 }] });
      traced("mysql2:execute", { query: "delete from t", values: 7 }, { error: new RangeError("no table") });
    });
    assert.deepEqual(
      leaves.map(({ kind, name, detail, error }) => ({ kind, name, detail, error })),
      [
        {
          kind: "sql",
          name: "SELECT",
          error: null,
          detail: { system: "mysql", statement: "select 1", parameters: [7], rows: 1, result: [{ a: 1 }] },
        },
        {
          kind: "sql",
          name: "DELETE",
          error: { name: "RangeError", message: "no table" },
          detail: { system: "mysql", statement: "delete from t", parameters: [7], rows: null },
        },
      ],
    );
  });

  it("has the rows of a SELECT, and of anything else how many it changed, by callback and by promise", async () => {
    const [rows, header, fields] = [[{ a: 1 }, { a: 2 }], { affectedRows: 3 }, [{ name: "a", columnType: 3 }]];
    const results: readonly (readonly [result: unknown, rows: number | null])[] = [
      [rows, 2],
      [[rows, fields], 2],
      [[rows, undefined], 2],
      [header, 3],
      [[header, undefined], 3],
      [[header, fields], 3],
      [[], 0],
      [[header], 1],
      [[[{ a: 1 }], fields, fields], 3],
      [[rows, { a: 1 }], 2],
      [
        [
          ["a", "b", "c"],
          ["d", { name: "e", columnType: 3 }, "f"],
        ],
        2,
      ],
      [
        [
          ["a", "b", "c"],
          [{ name: "e" }, "f", "g"],
        ],
        2,
      ],
      [
        [
          ["a", "b", "c"],
          [null, "e", "f"],
        ],
        2,
      ],
      [
        [
          [rows, [{ a: 3 }]],
          [fields, undefined],
        ],
        2,
      ],
      [[null, undefined], 2],
      [[7, undefined], 2],
      [[{ a: 1 }, undefined], 2],
      [{ other: 1 }, null],
      [null, null],
      [undefined, null],
      ["affectedRows", null],
    ];
    const details = await statements(...results.map(([result]) => [{ query: "select 1" }, { result }] as const));
    assert.deepEqual(
      details.map(({ rows: shown }) => shown),
      results.map(([, expected]) => expected),
    );
    assert.deepEqual([details[1]?.result, details[9]?.result], [rows, [rows, { a: 1 }]]);
    assert.deepEqual([details[0]?.parameters, details[3]?.result], [[], undefined]);
  });
});

describe("clients of Redis", () => {
  const hits: readonly (readonly [command: string, result: unknown, hit: boolean | null])[] = [
    ...["GET", "GETDEL", "GETEX", "HGET", "LINDEX", "LPOP", "RPOP", "SPOP"].map((name) => [name, "x", true] as const),
    ["get", null, false],
    ["GET", undefined, false],
    ["GET", "", true],
    ["SET", "OK", null],
  ];
  for (const name of ["node-redis:command", "ioredis:command"])
    it(`a command of ${name} is a leaf, with what it found where it looks something up`, async () => {
      const details = await commands(
        name,
        ...hits.map(([command, result]) => [{ command, args: [command, "k", "?"] }, { result }] as const),
      );
      assert.deepEqual(
        details,
        hits.map(([command, , hit]) => ({
          system: "redis",
          command: command.toUpperCase(),
          key: "k",
          args: ["?"],
          hit,
        })),
      );
    });

  it("knows the command by its name or by its first argument, whichever is published", async () => {
    const details = await commands(
      "ioredis:command",
      [{ command: "get", args: ["k"] }, { result: "x" }],
      [{ args: ["GET", "k"] }, { result: null }],
      [{ command: "get", args: ["GET", "k"] }, { result: "x" }],
      [{ command: "PING" }, { result: "PONG" }],
      [{ args: [] }, { result: 1 }],
      [{}, { result: 1 }],
      [{ command: "GET", args: [7] }, { error: new Error("no") }],
      [{ command: "MGET", args: ["a", "b", 3] }, { result: [] }],
    );
    assert.deepEqual(
      details.map(({ command, key, args, hit }) => [command, key, args, hit]),
      [
        ["GET", "k", [], true],
        ["GET", "k", [], false],
        ["GET", "k", [], true],
        ["PING", "", [], null],
        ["", "", [], null],
        ["", "", [], null],
        ["GET", "", [], null],
        ["MGET", "a", ["b", 3], null],
      ],
    );
  });

  it("has the error of a command that failed", async () => {
    const [leaf] = await leavesOf(() => traced("node-redis:command", { command: "GET" }, { error: new Error("gone") }));
    assert.deepEqual([leaf?.name, leaf?.error], ["GET", { name: "Error", message: "gone" }]);
  });
});

describe("node:sqlite", () => {
  it("a statement is a leaf that is over, as long as its nanoseconds say", async () => {
    const leaves = await leavesOf(() => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      for (const duration of [1_500_000, 2_000_000n, "3000000", undefined])
        channel("sqlite.db.query").publish({ sql: "select 'a'", duration });
    });
    assert.deepEqual(
      leaves.map(({ kind, name, detail, durationUs }) => [kind, name, detail, durationUs]),
      [1_500, 2_000, 0, 0].map((durationUs) => [
        "sql",
        "SELECT",
        { system: "sqlite", statement: "select 'a'", parameters: [], rows: null },
        durationUs,
      ]),
    );
  });
});

describe("pino", () => {
  it("is a line with its level, its message and its fields", async () => {
    const instance = { levels: { labels: { 30: "info", 50: "error" } } };
    const leaves = await leavesOf(() => {
      const publish = (message: object): void => channel("tracing:pino_asJson:start").publish(message);
      publish({ instance, arguments: [{ order: 7, password: "x" }, "paid", 50] });
      publish({ instance, arguments: [{}, "odd", 35] });
      publish({ arguments: [{}, "no labels", 30] });
      publish({ instance: {}, arguments: [{}, undefined, 30] });
    });
    assert.deepEqual(
      leaves.map(({ kind, name, detail }) => [kind, name, detail]),
      [
        ["log", "error", { level: "error", message: "paid", fields: { order: 7, password: "[redacted]" } }],
        ["log", "35", { level: "35", message: "odd", fields: {} }],
        ["log", "30", { level: "30", message: "no labels", fields: {} }],
        ["log", "30", { level: "30", message: "", fields: {} }],
      ],
    );
  });
});

describe("step", () => {
  it("is a leaf of its kind and name, with what was noted and what it failed with", async () => {
    const leaves = await leavesOf(() => {
      step("cache", "prices", (note) => note({ command: "get", key: "prices", hit: true }));
      const fails = (): never => {
        throw new RangeError("no");
      };
      assert.throws(() => step("span", "fails", fails));
    });
    assert.deepEqual(
      leaves.map(({ kind, name, error, durationUs }) => [kind, name, error, durationUs === null]),
      [
        ["cache", "prices", null, false],
        ["span", "fails", { name: "RangeError", message: "no" }, false],
      ],
    );
    assert.deepEqual(leaves[0]?.detail, { system: "", command: "GET", key: "prices", args: [], hit: true });
  });
});

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
    it(`on ${name} is told of once, by its library`, async () => {
      const watched = new Watched({}, () => {
        for (let n = 0; n < 2; n += 1) channel(name).publish(broken);
      });
      assert.deepEqual((await watched.trace()).leaves, []);
      const told = faultsOf(watched).map((line) => line.split(" publishes")[0]);
      assert.deepEqual(told, [`devtools: what ${source}`]);
    });

  it("that a step notes is told of once, as of step", async () => {
    const key = {
      get key(): never {
        throw new Error("key");
      },
    };
    const watched = new Watched({}, () => {
      for (let n = 0; n < 2; n += 1) step("cache", "prices", (note) => note(key));
    });
    assert.equal((await watched.trace()).leaves.length, 2);
    assert.deepEqual(faultsOf(watched), ["devtools: what step publishes could not be shown: Error: key"]);
  });
});
