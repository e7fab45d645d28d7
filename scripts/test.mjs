/**
 * `make test`: the unit suites under coverage, then the coverage gates.
 *
 *   c8 node run-tests.mjs ──▶ coverage/coverage-summary.json ──▶ gates
 *
 * The last line is always "N passed, N failed"; missed gates count as one failure. With arguments
 * (see run-tests.mjs) only those tests run, and the gates are left out: `node scripts/test.mjs spec`.
 */
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { execute, isProgram, root } from "./process.mjs";

/** Percentages that the sources under src/ (the dashboard's views apart) must reach. */
export const gates = { lines: 97, branches: 92, linesPerFile: 90 };

/**
 * The sentences for every gate that `summary` (istanbul's json-summary) misses; none means it passes.
 *
 * @param {Record<string, { lines: { total: number, pct: number }, branches: { pct: number } }>} summary
 * @returns {string[]}
 */
export function missedGates({ total, ...files }) {
  if (Object.keys(files).length === 0) return ["no source file was measured"];
  const missed = [];
  if (!(total.lines.pct >= gates.lines)) missed.push(`lines: ${total.lines.pct} % of ${gates.lines} %`);
  if (!(total.branches.pct >= gates.branches)) missed.push(`branches: ${total.branches.pct} % of ${gates.branches} %`);
  for (const [file, { lines }] of Object.entries(files)) {
    if (lines.total > 0 && !(lines.pct >= gates.linesPerFile)) {
      missed.push(`${relative(root, file)}: lines ${lines.pct} % of ${gates.linesPerFile} %`);
    }
  }
  return missed;
}

/** @param {string} file */
function read(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8"));
  } catch {
    return undefined;
  }
}

/** @param {readonly string[]} argv */
async function main(argv) {
  rmSync(join(root, ".build", "reports", "test.json"), { force: true });
  rmSync(join(root, "coverage"), { recursive: true, force: true });
  const code = await execute("c8", ["node", "scripts/run-tests.mjs", ...argv]);
  const counts = read(".build/reports/test.json") ?? { passed: 0, failed: 1 };
  const missed = argv.length > 0 ? [] : missedGates(read("coverage/coverage-summary.json") ?? {});
  for (const sentence of missed) process.stdout.write(`✖ coverage: ${sentence}\n`);
  process.stdout.write(`${counts.passed} passed, ${counts.failed + (missed.length > 0 ? 1 : 0)} failed\n`);
  process.exitCode = code === 0 && counts.failed === 0 && missed.length === 0 ? 0 : 1;
}

if (isProgram(import.meta)) await main(process.argv.slice(2));
