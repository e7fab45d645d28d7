/** Clauses for the browser are proven by tests in e2e/. Their titles begin with the id of the clause. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { requirements, type Requirement } from "../spec/requirements.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const entries: readonly (readonly [string, Requirement])[] = Object.entries(requirements);

/** The ids that begin the titles of the tests in these folders. */
function titledIn(folders: readonly string[], suffix: string): ReadonlySet<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(suffix) && !name.includes("node_modules"))
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  );
  const titles = files.flatMap((text) =>
    [...text.matchAll(/["'`]((?:[A-Z]+-\d{3}[\s,]*)+):/g)].map(([, ids = ""]) => ids),
  );
  return new Set(titles.flatMap((ids) => ids.match(/[A-Z]+-\d{3}/g) ?? []));
}

describe("the clauses", () => {
  const inProcess = titledIn(["src", "conformance", "examples", "scripts"], ".test.ts");
  const inBrowser = titledIn(["e2e"], ".spec.ts");

  it("of surface page each have a browser test", () => {
    const missing = entries.filter(([id, { surface }]) => surface === "page" && !inBrowser.has(id));
    assert.deepEqual(
      missing.map(([id]) => id),
      [],
    );
  });

  it("named in titles exist", () => {
    const unknown = [...inProcess, ...inBrowser].filter((id) => !(id in requirements));
    assert.deepEqual(unknown, []);
  });
});
