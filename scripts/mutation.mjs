/**
 * `make mutation`: changes the compiled framework in one place after the other, and sees whether the tests beside it notice.
 *
 *   node scripts/mutation.mjs                          every room
 *   node scripts/mutation.mjs routing middleware/cors  these
 *   node scripts/mutation.mjs --again routing          its last survivors alone, after a test was added
 *   node scripts/mutation.mjs --changed=main           the files that differ from that commit, each with its room's tests
 *
 *   a room ──▶ Stryker: dist/<room>/*.js mutated, its *.test.js run ──▶ survivors but for the equivalents ──▶ score
 *
 * Compiled files are mutated, since they are what the tests run and nothing has to be compiled for a mutant; what is printed
 * is that text, which differs from the source by its types alone. A room is judged by its own tests: what only a test of
 * another room notices survives here.
 *
 * Exit code 1 when a room is below its floor, or an equivalent is listed that does not survive (test/mutation/).
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { equivalents } from "../test/mutation/equivalents.mjs";
import { floors } from "../test/mutation/floors.mjs";
import { isProgram, root } from "./process.mjs";

const output = join(root, ".build", "mutation");
const stryker = join(root, "test", "mutation", "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const say = (line) => process.stdout.write(`${line}\n`);

/** Rooms by name → the folder of their compiled files, from the root. */
export function roomsOf(folders) {
  const framework = folders.map((room) => [room, `src/framework/dist/${room}`]);
  return new Map([...framework, ["devtools/server", "src/devtools/dist/server"]]);
}

/** The rooms of the framework; each middleware is one. */
function frameworkRooms() {
  const below = (folder) =>
    readdirSync(join(root, "src", "framework", folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => (folder === "" ? name : `${folder}/${name}`));
  const skipped = ["dist", "node_modules", "spec", "testing", "middleware"];
  return [...below("").filter((name) => !skipped.includes(name)), ...below("middleware")];
}

/** The rooms that these sources belong to, and the compiled files. @returns {Map<string, string[]>} */
export function changedRooms(names, rooms) {
  const found = new Map();
  for (const name of names) {
    if (!/^src\/(framework|devtools)\/.*\.ts$/.test(name) || name.endsWith(".test.ts")) continue;
    const compiled = name.replace(/^(src\/\w+)\//, "$1/dist/").replace(/\.ts$/, ".js");
    const [room] = [...rooms].findLast(([, folder]) => compiled.startsWith(`${folder}/`)) ?? [];
    if (room !== undefined) found.set(room, [...(found.get(room) ?? []), compiled]);
  }
  return found;
}

/** A mutant as one line, the same wherever it moves to: file, its line with what was written in «», what is written instead. */
export function nameOf(file, source, { location: { start, end }, replacement }) {
  const lines = source.split("\n");
  const [first, last] = [lines[start.line - 1], lines[end.line - 1]];
  const written = lines.slice(start.line - 1, end.line);
  written[written.length - 1] = last.slice(0, end.column - 1);
  written[0] = written[0].slice(start.column - 1);
  const line = `${first.slice(0, start.column - 1)}«${written.join("\n")}»${last.slice(end.column - 1)}`;
  const short = (text) => text.replace(/\s+/g, " ").trim();
  const name = file
    .replace(/^src\/(framework\/)?/, "")
    .replace("dist/", "")
    .replace(/\.js$/, "");
  return `${name}: ${short(line)} → ${short(replacement ?? "")}`;
}

/**
 * What a room's report comes to. Stryker's own score counts what timed out as noticed, and so does this one; what cannot be
 * compiled or is ignored counts not at all.
 */
export function tally(report, excused) {
  const counts = { killed: 0, survived: 0, uncovered: 0, equivalent: 0 };
  const survivors = [];
  const found = new Set();
  for (const [file, { source, mutants }] of Object.entries(report.files))
    for (const mutant of mutants) {
      if (["Killed", "Timeout"].includes(mutant.status)) counts.killed += 1;
      if (!["Survived", "NoCoverage"].includes(mutant.status)) continue;
      const name = nameOf(file, source, mutant);
      found.add(name);
      if (excused.has(name)) counts.equivalent += 1;
      else {
        counts[mutant.status === "Survived" ? "survived" : "uncovered"] += 1;
        survivors.push({ name, line: mutant.location.start.line, mutator: mutant.mutatorName, status: mutant.status });
      }
    }
  const all = counts.killed + counts.survived + counts.uncovered;
  const stale = [...excused].filter((name) => !found.has(name));
  return { ...counts, score: all === 0 ? 100 : (100 * counts.killed) / all, survivors, stale };
}

/** The lines of a report on which mutants survived, as Stryker takes them: `file:first-last`. */
export function survivingLines({ files }) {
  const lines = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants
      .filter(({ status }) => ["Survived", "NoCoverage"].includes(status))
      .map(({ location: { start, end } }) => `${file}:${start.line}-${end.line}`),
  );
  return [...new Set(lines)];
}

/** A report with what a later one, of some of its lines, found out. @throws Error where a file is another one by now */
export function merged(before, later) {
  const keyOf = ({ location, replacement, mutatorName }) => JSON.stringify([location, replacement, mutatorName]);
  const files = Object.entries(before.files).map(([file, found]) => {
    const { source = found.source, mutants = [] } = later.files[file] ?? {};
    if (source !== found.source)
      throw new Error(`${file} has changed since the last report: run its room without --again`);
    const again = new Map(mutants.map((mutant) => [keyOf(mutant), mutant]));
    return [file, { ...found, mutants: found.mutants.map((mutant) => again.get(keyOf(mutant)) ?? mutant) }];
  });
  return { ...before, files: Object.fromEntries(files) };
}

/** The report of a room: of all of it, of these files, or of what survived in its last one. */
function reportOf(room, folder, files, isAgain) {
  const report = join(output, `${room.replaceAll("/", "-")}.json`);
  if (!isAgain) return mutate(room, folder, files, report);
  if (!existsSync(report)) throw new Error(`${room} has no report yet: run it without --again`);
  const before = JSON.parse(readFileSync(report, "utf8"));
  const lines = survivingLines(before);
  if (lines.length === 0) return before;
  const after = merged(before, mutate(room, folder, lines, report.replace(/\.json$/, ".again.json")));
  writeFileSync(report, JSON.stringify(after));
  return after;
}

/** Runs Stryker on one room. @returns its report @throws Error when it does not come to one */
function mutate(room, folder, files, report) {
  mkdirSync(output, { recursive: true });
  const [, packageFolder] = /^(src\/\w+)\//.exec(folder) ?? [];
  const config = {
    testRunner: "tap",
    plugins: [join(root, "test/mutation/node_modules/@stryker-mutator/tap-runner/dist/src/index.js")],
    tap: {
      testFiles: [`${folder}/**/*.test.js`],
      nodeArgs: ["--conditions=modules", "--test-reporter=tap", "-r", "{{hookFile}}", "{{testFile}}"],
    },
    mutate: files ?? [`${folder}/**/*.js`, `!${folder}/**/*.test.js`, `!${folder}/**/*.testkit.js`],
    ignorePatterns: ["**", `!${packageFolder}`, `!${packageFolder}/**`, "!package.json"],
    symlinkNodeModules: false,
    coverageAnalysis: "perTest",
    concurrency: Number(process.env.CONCURRENCY ?? 1),
    tempDirName: join(output, "sandbox"),
    reporters: ["json", "clear-text"],
    clearTextReporter: { logTests: false, reportTests: false, reportMutants: false, reportScoreTable: false },
    jsonReporter: { fileName: report },
    timeoutMS: 4_000,
    timeoutFactor: 2,
    disableTypeChecks: false,
    checkers: [],
    allowConsoleColors: false,
  };
  const file = join(output, `${room.replaceAll("/", "-")}.config.json`);
  writeFileSync(file, JSON.stringify(config, null, 2));
  const options = { cwd: root, env: { ...process.env, NODE_ENV: "test" }, encoding: "utf8" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [stryker, "run", file], options);
  if (status !== 0) throw new Error(`Stryker ended with ${status} in ${room}:\n${stdout}\n${stderr}`);
  return JSON.parse(readFileSync(report, "utf8"));
}

/** Mutates a room and says what came of it. @returns {boolean} is it as it must be? */
function isSound(room, folder, files, isAgain) {
  const isWhole = files === undefined;
  const excused = new Set(equivalents.filter(([name]) => name.startsWith(`${room}/`)).map(([name]) => name));
  const { survivors, stale, score, ...counts } = tally(reportOf(room, folder, files, isAgain), excused);
  const all = counts.killed + counts.survived + counts.uncovered + counts.equivalent;
  const cells = [all, counts.killed, counts.survived, counts.uncovered, counts.equivalent];
  say(`${room.padEnd(27)} ${cells.map((count) => String(count).padStart(8)).join(" ")}  ${score.toFixed(1)} %`);
  const lines = survivors.map(({ name, line, mutator }) => `${line} ${mutator} ${name}`);
  const list = join(output, `${room.replaceAll("/", "-")}.survivors.txt`);
  writeFileSync(list, `${lines.join("\n")}\n`);
  if (!isWhole) {
    for (const line of lines) say(`  ${line}`);
    return true;
  }
  for (const name of stale) say(`  listed as equivalent, and noticed: ${name}`);
  const floor = floors[room] ?? 0;
  if (score < floor) say(`  below its floor of ${floor} %: ${list} lists what survived`);
  return score >= floor && stale.length === 0;
}

function main(argv) {
  if (!existsSync(stryker)) throw new Error("Stryker is not installed: run `make mutation`, which installs it");
  const rooms = roomsOf(frameworkRooms());
  const changed = argv.find((word) => word.startsWith("--changed="))?.slice("--changed=".length);
  const names = argv.filter((word) => !word.startsWith("--"));
  const unknown = names.filter((name) => !rooms.has(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: the rooms are ${[...rooms.keys()].join(", ")}`);
  const differing = changed === undefined ? undefined : differingFrom(changed, rooms);
  const chosen = [...rooms].filter(([room]) => differing?.has(room) ?? (names.length === 0 || names.includes(room)));
  say("room                         mutants  killed  survived  uncovered  equivalent  score");
  const sound = chosen.map(([room, folder]) => isSound(room, folder, differing?.get(room), argv.includes("--again")));
  return sound.every(Boolean) ? 0 : 1;
}

function differingFrom(base, rooms) {
  const text = execFileSync("git", ["diff", "--name-only", "--diff-filter=d", base, "--", "src"], {
    cwd: root,
    encoding: "utf8",
  });
  return changedRooms(text.split("\n"), rooms);
}

if (isProgram(import.meta)) process.exitCode = main(process.argv.slice(2));
