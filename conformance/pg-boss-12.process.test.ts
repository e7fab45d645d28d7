/**
 * The tests of framework/work/pg-boss again, with pg-boss 12 instead of 10, on a Node that it supports: this one, or that of
 * `make runtimes`.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);
const tests = fileURLToPath(new URL("src/framework/dist/work/pg-boss/pg-boss.test.js", root));
const installed = fileURLToPath(new URL("conformance/runtimes/node_modules/node24/bin/node", root));

/** The Node for it: `registerHooks` is there from 22.15 on. */
function nodeFor(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 23 || (major === 22 && minor >= 15)) return process.execPath;
  return existsSync(installed) ? installed : undefined;
}

const hook = `import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => next(name === "pg-boss" ? "pg-boss-12" : name, context) });`;

describe("pgBossWork with pg-boss 12", () => {
  const program = nodeFor();
  test(
    "does all that it does with pg-boss 10",
    { skip: program === undefined && "skipped: pg-boss 12 needs Node 22.12, run `make runtimes`", timeout: 300_000 },
    async () => {
      const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_V8_COVERAGE: "", NODE_OPTIONS: "" };
      const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, "--test-reporter=tap", tests];
      const printed = await new Promise<string>((resolve) => {
        execFile(program ?? "", args, { env, maxBuffer: 1e8 }, (_error, stdout, stderr) => resolve(stdout + stderr));
      });
      const count = (word: string): number => Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(printed)?.[1]);
      assert.deepEqual([count("fail"), count("cancelled"), count("pass") > 20], [0, 0, true], printed);
    },
  );
});
