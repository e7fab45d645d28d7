/**
 * Runs one Playwright project of e2e/playwright.config.ts and ends with "N passed, N failed".
 *
 *   node scripts/e2e.mjs e2e           the browser tests
 *   node scripts/e2e.mjs e2e-budget    how fast the dashboard is
 *   node scripts/e2e.mjs pack-test     the packages, installed by a consumer
 *   node scripts/e2e.mjs screenshots   the pictures in docs/
 *
 * A run without a test, without a report or with a flaky test fails; a skipped one is said.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clauseIds } from "./clause-ids.mjs";
import { execute, isProgram, root } from "./process.mjs";

/**
 * The outcome of a Playwright JSON report.
 *
 * @param {{ stats?: { expected: number, unexpected: number, flaky: number, skipped: number } } | undefined} report
 * @param {number} code Playwright's exit code
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function outcome(report, code) {
  if (!report?.stats) return { passed: 0, failed: 1, skipped: 0 };
  const { expected: passed, unexpected, flaky, skipped } = report.stats;
  const failed = unexpected + flaky;
  const sound = failed > 0 || (code === 0 && passed > 0);
  return { passed, failed: sound ? failed : 1, skipped };
}

/**
 * What became of the clauses whose ids the titles begin with.
 *
 * @param {{ suites?: any[], specs?: { title: string, ok: boolean, tests: { status: string }[] }[] } | undefined} suite
 * @returns {{ id: string, ok: boolean }[]}
 */
export function clausesOf(suite) {
  const own = (suite?.specs ?? []).filter(({ tests }) => tests.some(({ status }) => status !== "skipped"));
  return [
    ...own.flatMap(({ title, ok }) => clauseIds(title).map((id) => ({ id, ok }))),
    ...(suite?.suites ?? []).flatMap(clausesOf),
  ];
}

/** @param {string} file */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** @param {readonly string[]} argv */
async function main([project = "e2e", ...rest]) {
  const reports = join(root, ".build", "reports");
  const json = join(reports, `playwright-${project}.json`);
  mkdirSync(reports, { recursive: true });
  rmSync(json, { force: true });
  const args = ["test", "--config=e2e/playwright.config.ts", `--project=${project}`, "--reporter=list,json", ...rest];
  const code = await execute("playwright", args, { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: json } });
  const report = read(json);
  const { passed, failed, skipped } = outcome(report, code);
  const clauses = clausesOf(report);
  writeFileSync(join(reports, `${project}.json`), JSON.stringify({ passed, failed, skipped, clauses }));
  if (skipped > 0) process.stdout.write(`${skipped} skipped\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

if (isProgram(import.meta)) await main(process.argv.slice(2));
