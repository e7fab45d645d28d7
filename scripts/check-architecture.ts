/**
 * `make check`, architecture: the import table, cycles, budgets, bans and doc comments.
 *
 *   sources ──▶ layers · cycles · budgets · bans · docs ──▶ findings, one a line ──▶ exit 1 if any
 *
 * Each check lives in scripts/architecture/ and is proven able to fail in check-architecture.test.ts;
 * an empty file list is a failure.
 */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { banFindings } from "./architecture/bans.ts";
import { budgetFindings } from "./architecture/budgets.ts";
import { cycleFindings } from "./architecture/cycles.ts";
import { docFindings } from "./architecture/docs.ts";
import { layerFindings } from "./architecture/layers.ts";
import { readSources, type Source } from "./architecture/source.ts";

const everything = ["spec", "src", "conformance", "e2e", "bench", "examples", "scripts"];

/** All findings of all checks over the given sources; `src/` carries the stricter ones. */
export function findings(sources: readonly Source[]): readonly string[] {
  const packages = sources.filter(({ path }) => path.startsWith("src/"));
  if (packages.length === 0) return ["no source file was found under src/"];
  return [
    ...layerFindings(sources),
    ...cycleFindings(sources),
    ...budgetFindings(packages),
    ...banFindings(sources),
    ...docFindings(packages),
  ];
}

function main(): void {
  // Compiled to .build/scripts/, two folders below the root.
  const sources = readSources(fileURLToPath(new URL("../..", import.meta.url)), everything);
  const found = findings(sources);
  for (const sentence of found) process.stdout.write(`${sentence}\n`);
  process.stdout.write(`${sources.length} files, ${found.length} findings\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) main();
