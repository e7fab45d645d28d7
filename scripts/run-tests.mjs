/**
 * Runs the compiled unit tests: one Node process per suite, every file of a suite inside it.
 *
 *   node scripts/run-tests.mjs                 all suites
 *   node scripts/run-tests.mjs framework spec  these suites
 *   node scripts/run-tests.mjs --match router  only files whose path contains "router"
 *
 *   find *.test.js ──▶ group by suite ──▶ node suite.mjs files… ──▶ counts ──▶ .build/reports/test.json
 *
 * Guarantees: no file found, a suite that ran no test, a file that cannot be loaded and a suite that
 * outlives its time limit all fail; the last line is "N passed, N failed".
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { execute, isProgram, root } from "./process.mjs";

const reports = join(root, ".build", "reports");
const suiteTimeoutMs = 300_000;

/**
 * The compiled tests, grouped by suite: a package's folder name, or the first folder under .build/.
 *
 * @param {string} base the repository's root
 * @returns {Map<string, string[]>} suite name → absolute paths, both sorted
 */
export function findSuites(base) {
  const suites = new Map();
  const add = (suite, files) => files.length > 0 && suites.set(suite, files.sort());
  for (const name of directories(join(base, "src"))) {
    const outputs = [
      "dist",
      ...directories(join(base, "src", name))
        .filter((d) => d !== "dist")
        .map((d) => join(d, "dist")),
    ];
    for (const output of outputs) {
      const suite = output === "dist" ? name : `${name}-${output.split(sep)[0]}`;
      add(suite, compiledTests(join(base, "src", name, output)));
    }
  }
  for (const name of directories(join(base, ".build"))) add(name, compiledTests(join(base, ".build", name)));
  return new Map([...suites].sort(([a], [b]) => a.localeCompare(b)));
}

/** @param {string} folder */
function compiledTests(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { recursive: true });
  } catch {
    return [];
  }
  return entries
    .filter((name) => name.endsWith(".test.js") && sourceExists(join(folder, name)))
    .map((name) => join(folder, name));
}

/** A compiled file whose source was deleted or renamed must not keep on running: its source map names it. */
function sourceExists(file) {
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8"));
  try {
    readFileSync(join(file, "..", map.sources[0]));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} folder */
function directories(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((e) => e.isDirectory())
      .map((e) => e.name);
  } catch {
    return [];
  }
}

/**
 * Runs one suite in a process of its own.
 *
 * @param {string} suite
 * @param {readonly string[]} files
 * @returns {Promise<{ suite: string, passed: number, failed: number, skipped: number, failures: string[] }>}
 */
export async function runSuite(suite, files) {
  const report = join(reports, `suite-${suite.replace(":", "-")}.json`);
  rmSync(report, { force: true });
  process.stdout.write(`\n── ${suite}: ${files.length} file${files.length === 1 ? "" : "s"}\n`);
  const reporters = [
    ["--test-reporter=spec", "--test-reporter-destination=stdout"],
    [`--test-reporter=${join(root, "scripts", "count-reporter.mjs")}`, `--test-reporter-destination=${report}`],
  ].flat();
  const args = [
    "--enable-source-maps",
    "--test-timeout=60000",
    ...reporters,
    join(root, "scripts", "suite.mjs"),
    ...files,
  ];
  // The framework's modules instead of their bundle, here and in processes that tests start: coverage counts once.
  const options = `${process.env.NODE_OPTIONS ?? ""} --conditions=modules`.trim();
  const env = { NODE_ENV: "test", NODE_OPTIONS: options };
  const code = await execute("node", args, { env, timeoutMs: suiteTimeoutMs });
  return verdict(suite, code, report);
}

/** @param {string} suite @param {number} code @param {string} report */
function verdict(suite, code, report) {
  let counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  try {
    counts = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    counts.failures.push(`${suite}: no report was written (exit ${code})`);
  }
  if (counts.passed + counts.failed === 0) counts.failures.push(`${suite}: no test ran`);
  if (code !== 0 && counts.failures.length === 0) counts.failures.push(`${suite}: exit code ${code}`);
  return { suite, ...counts, failed: Math.max(counts.failed, counts.failures.length) };
}

/** Files that put a fake page into globalThis get a process of their own: what they fake must not reach the others. */
function apart(suite, files) {
  const fakes = files.filter((file) => readFileSync(file, "utf8").includes('/fake-page.js"'));
  const alone = fakes.map((file) => [`${suite}:${basename(file, ".test.js")}`, [file]]);
  return [[suite, files.filter((file) => !fakes.includes(file))], ...alone];
}

/** @param {readonly string[]} argv */
async function main(argv) {
  const at = argv.indexOf("--match");
  const match = at >= 0 ? (argv[at + 1] ?? "") : "";
  const wanted = argv.filter((_, i) => at < 0 || (i !== at && i !== at + 1));
  const suites = [...findSuites(root)]
    .flatMap(([suite, files]) => apart(suite, files))
    .filter(([suite]) => wanted.length === 0 || wanted.some((name) => suite === name || suite.startsWith(`${name}:`)))
    .map(([suite, files]) => [suite, files.filter((file) => relative(root, file).includes(match))])
    .filter(([, files]) => files.length > 0);
  if (suites.length === 0) throw new Error(`no compiled test found for [${argv.join(" ")}]: run \`make build\` first`);
  mkdirSync(reports, { recursive: true });
  const results = [];
  for (const [suite, files] of suites) results.push(await runSuite(suite, files));
  summarize(results);
}

/** @param {readonly { passed: number, failed: number, skipped: number, failures: string[] }[]} results */
function summarize(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failures = results.flatMap((result) => result.failures);
  const total = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
  writeFileSync(join(reports, "test.json"), JSON.stringify({ ...total, failures }, null, 2));
  process.stdout.write("\n");
  for (const failure of failures) process.stdout.write(`✖ ${failure}\n`);
  if (total.skipped > 0) process.stdout.write(`${total.skipped} skipped\n`);
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

if (isProgram(import.meta)) await main(process.argv.slice(2));
