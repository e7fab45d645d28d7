/** Messages of node-redis and ioredis, as leaves. conformance/leaf-sources.test.ts reads them with a server. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CacheDetail } from "../../../index.ts";
import { leavesOf, traced } from "./published.testkit.ts";

/** The details of commands that a client of Redis has published. */
async function commands(
  name: string,
  ...given: readonly (readonly [begun: object, ended: object])[]
): Promise<readonly CacheDetail[]> {
  const leaves = await leavesOf(() => given.forEach(([begun, ended]) => traced(name, begun, ended)));
  return leaves.map((leaf) => (leaf.kind === "cache" ? leaf.detail : assert.fail(leaf.kind)));
}

describe("clients of Redis", () => {
  const hits: readonly (readonly [command: string, result: unknown, hit: boolean | null])[] = [
    ...["GET", "GETDEL", "GETEX", "HGET", "LINDEX", "LPOP", "RPOP", "SPOP"].map((name) => [name, "x", true] as const),
    ["get", null, false],
    ["GET", undefined, false],
    ["GET", "", true],
    ["SET", "OK", null],
  ];
  for (const name of ["node-redis:command", "ioredis:command"])
    it(`a command of ${name} is a leaf, with its result if it looks something up`, async () => {
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

  it("recognises the command by its name or by its first argument, whichever is published", async () => {
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
