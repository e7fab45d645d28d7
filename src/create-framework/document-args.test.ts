/**
 * Tests the arguments of `framework client` and `framework openapi`, and the messages about others.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandOf } from "./args.ts";

describe("documentCommand", () => {
  it("accepts the arguments of the commands, with defaults", () => {
    const client = { kind: "client", url: "a.json", out: "b.ts", isCheck: false, tanstack: undefined, msw: undefined };
    assert.deepEqual(commandOf(["client", "--url", "a.json", "--out", "b.ts"], "framework"), client);
    assert.deepEqual(commandOf(["client", "--check", "--out=b.ts", "--url=a.json"], "framework"), {
      ...client,
      isCheck: true,
    });
    assert.deepEqual(commandOf("client --url a.json --out b.ts --tanstack c.ts --msw d.ts".split(" "), "framework"), {
      ...client,
      tanstack: "c.ts",
      msw: "d.ts",
    });
    const openapi = {
      kind: "openapi",
      out: undefined,
      check: undefined,
      url: undefined,
      app: "dist/app.js",
      path: "/openapi.json",
    };
    assert.deepEqual(commandOf(["openapi"], "framework"), openapi);
    assert.deepEqual(commandOf(["openapi", "--check", "a.json", "--app", "b.js", "--path", "/c"], "framework"), {
      ...openapi,
      check: "a.json",
      app: "b.js",
      path: "/c",
    });
    assert.deepEqual(commandOf(["client", "--help"], "framework"), { kind: "help" });
  });

  const wrong: Readonly<Record<string, readonly string[]>> = {
    "--url is missing: framework client --url openapi.json --out src/client.ts": ["client", "--out", "a"],
    "--out is missing: framework client --url openapi.json --out src/client.ts": ["client", "--url", "a"],
    "--out, --tanstack and --msw are different files: name each of them differently":
      "client --url a --out b --msw b".split(" "),
    "Unknown option '--app'; --help lists the options": ["client", "--app", "a"],
    "Unexpected argument 'now'. This command does not take positional arguments; --help lists the options": [
      "openapi",
      "now",
    ],
    "--url is another source than the app: say one of them": ["openapi", "--url", "a", "--path", "/b"],
    '--path is "a": a path begins with /': ["openapi", "--path", "a"],
  };
  it("rejects everything else with one sentence", () => {
    for (const [message, args] of Object.entries(wrong))
      assert.throws(() => commandOf(args, "framework"), { name: "UsageError", message });
  });
});
