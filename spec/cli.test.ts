/**
 * Every clause of the command line is proven by a test of the scaffolder, of the packages or of how a project is deployed,
 * which names it first in its title.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { requirements } from "./requirements.ts";

// Compiled to .build/spec/: the tests are read where they are written.
const root = fileURLToPath(new URL("../../", import.meta.url));
const scaffolder = readdirSync(join(root, "src", "create-framework")).map((name) => `src/create-framework/${name}`);
const tests = [
  ...scaffolder.filter((name) => name.endsWith(".test.ts")),
  "scripts/packages.test.ts",
  "conformance/deployment.test.ts",
];

describe("the clauses of the command line", () => {
  it("are each named by a test", () => {
    const text = tests.map((name) => readFileSync(join(root, name), "utf8")).join("\n");
    const titles = [...text.matchAll(/["'`]((?:CLI-\d{3}[: ]+)+)/g)].flatMap(
      ([, ids = ""]) => ids.match(/CLI-\d{3}/g) ?? [],
    );
    const clauses = Object.keys(requirements).filter((id) => id.startsWith("CLI-"));
    assert.ok(clauses.length > 0);
    assert.deepEqual([...new Set(titles)].toSorted(), clauses.toSorted());
  });
});
