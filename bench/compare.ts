/**
 * `make bench-compare BASE=<ref>`: compares this tree's framework with another commit, paired in one run.
 *
 *   BASE ──▶ copied to a temporary folder, built ──▶ base · base again ─┐
 *   this tree ─────────────────────────────────────▶ head · head again ─┼─▶ more than 5 % slower in a job? exit 1
 *   this tree, SLOWED by so many per cent ─────▶ slowed · slowed again ─┘   not seen to be slower?       exit 1
 *
 * Both sides run twice, because the compiler can make a process slow or fast for its whole life. Every job is measured the same
 * number of times, whatever its result. Both sides use this tree's bench code. Only the imported packages differ. `SLOWED=10`
 * proves in the same run that the comparison can fail.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { measureList } from "./method/list.ts";
import { pinLoad, type Contender } from "./method/process.ts";
import { isSlower, quotient, total, undisturbed, type Cell, type Values } from "./method/stats.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { comparisonOf, settingsOf, shapesOf } from "./settings.ts";
import { features, jobs, work, type Work } from "./work.ts";

/** The compared jobs. */
const compared: Readonly<Record<string, Work>> = {
  ...jobs,
  "the same + tracing": work({ use: features }),
  "devtools, 4 calls": work({ kind: "beans", devtools: "on" }),
};
const { ref, slowed } = fromEnvironment(comparisonOf);
const settings = fromEnvironment(settingsOf);
// More runs than a table needs, since a few per cent decide.
const shape = { ...shapesOf(settings).list, runs: settings.fast ? 1 : 6 };

/** CPU per request ÷ the base's: of this tree, of the base against itself, of this tree slowed down. */
async function compare(base: string, job: Work): Promise<readonly [head: Cell, control: Cell, slowed: Cell]> {
  const server = (folder: string, name: string, done: Work): Contender => ({ name, work: done, ...serverOf(folder) });
  const first = await measureList([server(base, "base", job)], settings.node, { ...shape, runs: 1 });
  const wasteUs = (undisturbed((first.cpuUs.get("base") ?? []).flat()) * slowed) / 100;
  const contenders = ["", " again"].flatMap((again) => [
    server(base, `base${again}`, job),
    server(root, `head${again}`, job),
    ...(slowed === 0 ? [] : [server(root, `slowed${again}`, { ...job, wasteUs })]),
  ]);
  const { cpuUs } = await measureList(contenders, settings.node, shape);
  const of = (name: string): Values => cpuUs.get(name) ?? [];
  const toBase = (side: string): Cell =>
    quotient(total(of(side), of(`${side} again`)), total(of("base"), of("base again")));
  return [toBase("head"), quotient(of("base again"), of("base")), toBase(slowed === 0 ? "head" : "slowed")];
}

/** Checks out the packages of a commit into an empty folder and builds them. @throws Error if they do not build. */
function checkOut(ref: string, folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@framework"), { recursive: true });
  execFileSync("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", ref, folder], { cwd: root });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "framework" && name !== "@framework")
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(join(folder, "src", "framework"), join(modules, "framework"));
  symlinkSync(join(folder, "src", "devtools"), join(modules, "@framework", "devtools"));
  for (const code of ["bench", "test/environment.js"])
    cpSync(join(root, ".build", code), join(folder, ".build", code), { recursive: true });
  const inTree = { cwd: folder, stdio: "inherit" } as const;
  execFileSync("node_modules/.bin/tsc", ["-b", "src/framework", "src/devtools", "src/devtools/dashboard"], inTree);
  for (const script of ["scripts/bundle-framework.mjs", "scripts/build-dashboard.mjs"])
    if (existsSync(join(folder, script))) execFileSync(process.execPath, [script], inTree);
}

/** The command for the framework of a folder: that folder's copy of the bench. */
const serverOf = (folder: string): { entry: string; module: string } => ({
  entry: join(folder, ".build", "bench", "server.js"),
  module: pathToFileURL(join(folder, ".build", "bench", "servers", "ours.js")).href,
});

const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const percent = (times: number): string => `${times < 1 ? "" : "+"}${((times - 1) * 100).toFixed(1)} %`.padStart(7);
const shown = ({ median, low, high }: Cell): string => `${percent(median)} [${percent(low)} to ${percent(high)}]`;
const base = realpathSync(mkdtempSync(join(tmpdir(), "bench-")));
const count = Object.keys(compared).length;
let [slower, seen] = [0, 0];
try {
  checkOut(ref, base);
  pinLoad();
  for (const [title, job] of Object.entries(compared)) {
    const [head, control, planted] = await compare(base, job);
    if (isSlower(head)) slower += 1;
    if (isSlower(planted)) seen += 1;
    const proof = slowed === 0 ? "" : `, slowed ${shown(planted)}${isSlower(planted) ? "" : " NOT SEEN"}`;
    const figures = `${shown(head)}${isSlower(head) ? " SLOWER" : ""}, control ${percent(control.median)}${proof}`;
    say(`${title.padEnd(39)} CPU per request ${figures}`);
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
say(slower === 0 ? `not slower than ${ref}` : `slower than ${ref} in ${slower} of ${count} jobs`);
if (slowed > 0) say(`a slowdown of ${slowed} % was seen in ${seen} of ${count} jobs`);
process.exitCode = slower > 0 || (slowed > 0 && seen < count) ? 1 : 0;
