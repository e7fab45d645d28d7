/**
 * `make test`: compiled tests in `node --test`.
 *
 *   node scripts/test.mjs                        all, a process a folder, with coverage (the gates are in .c8rc.json)
 *   node scripts/test.mjs --base=<commit>        the packages' own, and those that a change since then is about
 *   node scripts/test.mjs session src/devtools   the rooms of these names and paths, in one process, without coverage
 *
 * For a room, only the sources that its tests need are compiled first, so that an edit is tested in seconds. This file exists
 * because Node 20's runner accepts no patterns and sources are compiled to three folders. The search begins at the sources, so
 * the compiled test of a deleted one does not run.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { execute, isProgram, root, run } from "./process.mjs";

const homes = ["scripts", "conformance", "src", "spec", "examples", "bench", "test"];

/** The compiled file of a test's source. @param {string} source from the root */
export function compiled(source) {
  const output = source
    .replace(/^src\/devtools\/dashboard\//, ".build/dashboard/dashboard/")
    .replace(/^src\/([\w-]+)\//, "src/$1/dist/")
    .replace(/^(?!src\/|\.build\/)/, ".build/");
  return output.replace(/\.tsx?$/, ".js");
}

const below = (home) =>
  readdirSync(`${root}${home}`, { recursive: true, encoding: "utf8" }).map((name) => `${home}/${name}`);

function sources() {
  const isTest = (name) => /\.test\.tsx?$/.test(name) && !/\/(node_modules|templates)\//.test(name);
  return homes.flatMap(below).filter(isTest);
}

/** Disables coverage for a process and its children. */
const uncovered = `import { stopCoverage } from "node:v8";\nstopCoverage();\ndelete process.env.NODE_V8_COVERAGE;\n`;

/** A test's folder, for an example the example's, since starting its database takes longest. @param {string} file */
const folderOf = (file) => /^\.build\/examples\/[^/]+(?=\/)/.exec(file)?.[0] ?? dirname(file);

/**
 * Writes files that each run several tests in one process, each file as a suite, since starting Node and loading the framework
 * takes longer than most files' tests. Tests of the process itself, or with globals at load time, stay alone:
 * `x.process.test.ts`. Only the packages' own tests count for coverage. Coverage of the others would take a seventh of their
 * time.
 *
 * @param {readonly string[]} files compiled tests, from the root
 * @param {(file: string) => string} processOf the name of the process that a test runs in
 * @returns {string[]} the files for `node --test`
 */
function together(files, processOf) {
  const home = ".build/tests";
  rmSync(`${root}${home}`, { recursive: true, force: true });
  mkdirSync(`${root}${home}`);
  const isAlone = (file) => file.endsWith(".process.test.js");
  const shared = files.filter((file) => !isAlone(file));
  const entries = [...new Set(shared.map(processOf))].map((name) => {
    const inside = shared.filter((file) => processOf(file) === name);
    const suites = inside.map((file) => `describe("${file}", () => import("../../${file}"));\n`);
    const entry = `${home}/${name.replace(/^\./, "").replaceAll("/", "-")}.test.mjs`;
    const prelude = inside.some((file) => /^(src|\.build\/dashboard)\//.test(file)) ? "" : uncovered;
    writeFileSync(`${root}${entry}`, `import { describe } from "node:test";\n${prelude}${suites.join("")}`);
    return entry;
  });
  return [...entries, ...files.filter(isAlone)];
}

/** Is a source below a folder of that name, or does its path have that part? @param {string} source @param {string} room */
const isIn = (source, room) => (/[/.]/.test(room) ? source.includes(room) : source.includes(`/${room}/`));

const packages = ["framework", "devtools", "devtools/dashboard", "create-framework"].map((name) => `src/${name}`);

/** Compiles the files that these tests need. @param {readonly string[]} files */
function compile(files) {
  const isOfPackages = files.every((file) => file.startsWith("src/"));
  const wanted = packages.filter((name) => files.some((file) => file.startsWith(`${name}/`)));
  if (!isOfPackages) run("node", ["scripts/requirements.mjs"]);
  if (!isOfPackages || wanted.includes("src/devtools")) run("node", ["scripts/shapes.mjs"]);
  run("tsc", ["-b", ...(isOfPackages ? wanted : [...packages, "."])]);
}

// Three processes for two cores, since the suite's self-test waits half of its time. Tests of time measure CPU time. The
// self-test takes minutes, and several times as many on a busy machine. PostgreSQL's WebAssembly takes longer to optimize than
// a test takes.
const flags = [
  "--liftoff-only",
  "--test",
  "--test-concurrency=3",
  "--test-timeout=900000",
  `--test-reporter=${root}scripts/reporter.mjs`,
];

/** Long tests, and the files that they depend on. All others are short, and always run. */
const long = [
  [/^conformance\/([^/]+|(subject|vectors|rfc10008)\/.*)\.test\.ts$/, /^(conformance|spec)\//],
  [/^scripts\/docs\.test/, /\.md$|^scripts\/docs/],
  ...readdirSync(`${root}examples`).map((name) => [new RegExp(`^examples/${name}/`), new RegExp(`^examples/${name}/`)]),
];

/** The short tests, and those of a file that differs from the commit. @param {string} base */
function touched(base) {
  const changed = execFileSync("git", ["diff", "--name-only", base], { cwd: root, encoding: "utf8" }).split("\n");
  const left = long.filter(([, about]) => !changed.some((file) => about.test(file)));
  return sources().filter((source) => !left.some(([tests]) => tests.test(source)));
}

/** @param {readonly string[]} words rooms, or `--base=<commit>` */
async function main(words) {
  const rooms = words.filter((word) => !word.startsWith("--"));
  const base = words.find((word) => word.startsWith("--base="))?.slice("--base=".length);
  const all = base === undefined ? sources() : touched(base);
  const files = all.filter((name) => rooms.length === 0 || rooms.some((room) => isIn(name, room)));
  if (files.length === 0)
    throw new Error(`no test is in a folder called ${rooms.join(" or ")}, nor has that in its path`);
  // Uses the framework's modules instead of their bundle, here and in child processes, so coverage counts once.
  const options = `${process.env.NODE_OPTIONS ?? ""} --enable-source-maps --conditions=modules`.trim();
  const env = { NODE_ENV: "test", NODE_OPTIONS: options };
  rmSync(`${root}.build/reports/test.json`, { force: true });
  if (rooms.length > 0) {
    compile(files);
    return execute("node", [...flags, ...together(files.map(compiled), () => "rooms")], env);
  }
  const gates = JSON.parse(readFileSync(`${root}.c8rc.json`, "utf8"));
  rmSync(`${root}${gates.tempDirectory}`, { recursive: true, force: true });
  const covered = { ...env, NODE_V8_COVERAGE: root + gates.tempDirectory };
  const code = execute("node", [...flags, ...together(files.map(compiled), folderOf)], covered);
  await checkCoverage(gates);
  return code || process.exitCode;
}

/** Reports the coverage, and sets the exit code if it is below the gates, in total or for a file. */
async function checkCoverage(gates) {
  const { Report } = await import("c8");
  const { checkCoverages } = await import("c8/lib/commands/check-coverage.js");
  // The program c8 merges everything again for each kind of gate. Pages of coverage are for people.
  const report = new Report(process.env.CI === undefined ? gates : { ...gates, reporter: ["text-summary"] });
  await report.run();
  await checkCoverages(gates, report);
  // A low file must fail even if the total is high.
  await checkCoverages({ perFile: true, lines: 90 }, report);
}

if (isProgram(import.meta)) process.exitCode = await main(process.argv.slice(2));
