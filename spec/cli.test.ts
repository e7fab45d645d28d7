/**
 * Every clause of the command line is proven by a test of the scaffolder that names it first in its title.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { requirements } from "./requirements.ts";

// Compiled to .build/spec/: the tests are read where they are written.
const tests = fileURLToPath(new URL("../../src/create-framework", import.meta.url));

describe("the clauses of the command line", () => {
  it("are each named by a test", () => {
    const text = readdirSync(tests)
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(tests, name), "utf8"))
      .join("\n");
    const titles = [...text.matchAll(/["'`]((?:CLI-\d{3}[: ]+)+)/g)].flatMap(
      ([, ids = ""]) => ids.match(/CLI-\d{3}/g) ?? [],
    );
    const clauses = Object.keys(requirements).filter((id) => id.startsWith("CLI-"));
    assert.ok(clauses.length > 0);
    assert.deepEqual([...new Set(titles)].toSorted(), clauses.toSorted());
  });
});
