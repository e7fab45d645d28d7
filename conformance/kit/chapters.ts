/** The chapters of spec/ as they are written: the report quotes the sentences, so that they are written once. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readClauses, type Clause } from "../../spec/clauses.ts";

// Compiled to .build/conformance/kit/: the chapters stay where they are written.
const folder = fileURLToPath(new URL("../../../spec/", import.meta.url));
const prose = new Set(["README.md", "decisions.md", "subject.md"]);

/** Every clause, by id, in the order of the chapters. */
export function readAllClauses(): ReadonlyMap<string, Clause> {
  const chapters = readdirSync(folder).filter((name) => name.endsWith(".md") && !prose.has(name));
  const clauses = chapters.flatMap((name) => readClauses(name, readFileSync(join(folder, name), "utf8")));
  return new Map(clauses.map((clause) => [clause.id, clause]));
}
