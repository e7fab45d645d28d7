/**
 * `make bench-compare BASE=<ref>`: the framework as it is here against another commit, paired in one run.
 *
 *   BASE ──▶ copied to a temporary folder, built ──▶ base · base again ─┐
 *   this tree ─────────────────────────────────────▶ head · head again ─┼─▶ more than 5 % slower in a job? exit 1
 *   this tree, SLOWED by so many per cent ─────▶ slowed · slowed again ─┘   not seen to be slower?       exit 1
 *
 * Both sides run twice because a process can be slow or fast for life by the luck of its compiler, and every job is
 * measured the same number of times, however it looks. The bench's own code is this tree's on both sides: only the
 * packages that it imports differ. `SLOWED=10` proves in the same run that the comparison can fail.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureList } from "./method/list.ts";
import { pinLoad, type Contender } from "./method/process.ts";
import { isSlower, quotient, total, undisturbed, type Cell, type Values } from "./method/stats.ts";
import { checkOut, serverOf } from "./method/trees.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { comparisonOf, settingsOf, shapesOf } from "./settings.ts";
import { features, stack, work, type Work } from "./work.ts";

/** The jobs that are compared. */
const jobs: readonly (readonly [string, Work])[] = [
  ["GET /hello", work()],
  ["2 parameters among 200 routes", work({ kind: "params", resources: 200 })],
  ["POST 1 KB JSON", work({ kind: "echo" })],
  ["404", work({ kind: "missing", resources: 200 })],
  ["id + CORS + log + metrics", work({ use: stack })],
  ["the same + tracing", work({ use: features })],
  ["devtools, 4 calls", work({ kind: "beans", devtools: "on" })],
];
const { ref, slowed } = fromEnvironment(comparisonOf);
const settings = fromEnvironment(settingsOf);
// More runs than a table needs, since a few per cent decide.
const shape = { ...shapesOf(settings).list, runs: settings.fast ? 1 : 6 };

/** CPU per request ÷ that of the base: of this tree, of the base against itself, of this tree slowed down. */
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

const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const percent = (times: number): string => `${times < 1 ? "" : "+"}${((times - 1) * 100).toFixed(1)} %`.padStart(7);
const shown = ({ median, low, high }: Cell): string => `${percent(median)} [${percent(low)} to ${percent(high)}]`;
const base = realpathSync(mkdtempSync(join(tmpdir(), "bench-")));
let [slower, seen] = [0, 0];
try {
  checkOut(ref, base);
  pinLoad();
  for (const [title, job] of jobs) {
    const [head, control, planted] = await compare(base, job);
    if (isSlower(head)) slower += 1;
    if (isSlower(planted)) seen += 1;
    const proof = slowed === 0 ? "" : `, slowed ${shown(planted)}${isSlower(planted) ? "" : " NOT SEEN"}`;
    const figures = `${shown(head)}${isSlower(head) ? " SLOWER" : ""}, control ${percent(control.median)}${proof}`;
    say(`${title.padEnd(29)} CPU per request ${figures}`);
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
say(slower === 0 ? `not slower than ${ref}` : `slower than ${ref} in ${slower} of ${jobs.length} jobs`);
if (slowed > 0) say(`a slowdown of ${slowed} % was seen in ${seen} of ${jobs.length} jobs`);
process.exitCode = slower > 0 || (slowed > 0 && seen < jobs.length) ? 1 : 0;
