/**
 * `make conformance`: the suite against this repository's subject and the independent one, in every profile.
 *
 *   for each target: a process per profile ──▶ cases ──▶ Report ──▶ matrix on the screen
 *                                                          └─ --write ──▶ matrix.json, README.md
 *
 *   node .build/conformance/own-targets.js                        what this Node can serve
 *   node .build/conformance/own-targets.js all                    Bun, Deno, workerd and other Nodes too, where installed
 *   node .build/conformance/own-targets.js node-http fetch        these
 *   IDS="HEALTH QUERY-003" …                                      only these areas and clauses
 *
 * Exit code 0: all conformant. 1: not. 2: no trustworthy result.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RequirementId } from "../spec/requirements.ts";
import { cases } from "./cases/index.ts";
import { columnOf } from "./column.ts";
import { matrixScreen, summaryOf, type Column } from "./kit/matrix.ts";
import { select } from "./kit/select.ts";
import { elsewhere, keepColumns, outside, overviewMarkdown, writeTable } from "./reports.ts";
import { locateRuntime } from "../test/environment.ts";
import { chooseTargets, ownNames, type Target } from "./targets.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Most of a run is waiting, so this many targets run at the same time. */
const lanes = 2;

/** Runs the targets, a few in parallel, and prints the result of each as soon as it is known. */
async function columnsOf(targets: readonly Target[], ids: readonly RequirementId[]): Promise<readonly Column[]> {
  const waiting = targets.entries();
  const found: Column[] = [];
  const lane = async (): Promise<void> => {
    for (const [at, target] of waiting) {
      const begun = performance.now();
      const done = await columnOf(target, ids);
      found[at] = done;
      say(`${summaryOf(done, targets)} (${((performance.now() - begun) / 1000).toFixed(0)} s)`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return found;
}

/** Runs what the command line names. */
async function main(argv: readonly string[]): Promise<number> {
  const options = argv.filter((word) => word.startsWith("-") && word !== "--write");
  if (options.length > 0) throw new Error(`${options.join(", ")}: the only option is --write`);
  const chosen = chooseTargets(
    argv.filter((word) => word !== "--write"),
    locateRuntime,
  );
  const ready = chosen.filter(({ missing }) => missing === undefined);
  const absent = [...new Set(chosen.flatMap(({ missing }) => missing ?? []))];
  if (ready.length === 0) throw new Error(`nothing to run: ${absent.join("; ")}`);
  const selected = select((process.env["IDS"] ?? "").split(" ").filter((word) => word !== ""));
  const ids = outside.filter((id) => selected.includes(id));
  if (ids.length < outside.length && argv.includes("--write"))
    throw new Error("WRITE=1 writes all clauses: leave IDS out");
  say(
    `${cases.filter(({ id }) => ids.includes(id)).length} cases, ${ids.length} requirements, on ${ready.map(({ name }) => name).join(", ")}`,
  );
  const columns = await columnsOf(ready, ids);
  say(`\n${[matrixScreen(columns), ...absent.map((sentence) => `– ${sentence}`), "", elsewhere()].join("\n")}`);
  if (argv.includes("--write")) {
    const kept = [...keepColumns(columns)].filter(([name]) => ownNames().includes(name));
    writeTable("matrix", overviewMarkdown(kept));
    say("wrote conformance/matrix.json, and the table in conformance/README.md");
  }
  const failed = columns.filter(({ report }) => !report.conformant).length;
  const passed = columns.reduce((sum, { report }) => sum + (report.counts["pass"] ?? 0), 0);
  mkdirSync(join(root, ".build", "reports"), { recursive: true });
  writeFileSync(join(root, ".build", "reports", "conformance.json"), JSON.stringify({ passed, failed }));
  say(`${passed} passed, ${failed} failed`);
  if (columns.some(({ report }) => (report.counts["error"] ?? 0) > 0)) return 2;
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  return 2;
});
