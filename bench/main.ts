/**
 * `make bench`: measures everything in the same way, prints the table and keeps it.
 *
 *   lists ▸ footprints ▸ bean calls ──▶ evaluate ──▶ terminal, bench/README.md, .build/reports/bench-<part>-node<major>.json
 *
 * `ONLY=tls` runs one measurement, and the yardstick if its row needs it, and keeps no figure. `FAST=1` runs a third of the lists
 * briefly, another third each day, and keeps no figure. It counts for CI: each measurement with equal bytes from its servers is a
 * pass, and so is each row with its figures. The exit code says whether everything was measured, not who won. If a measurement
 * breaks off, the rest of the table is printed but not kept.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { evaluate } from "./evaluate.ts";
import { contracts, footprintOf, listsOf, type List } from "./lists.ts";
import { measureMemory, measureStarts } from "./method/footprint.ts";
import { measureList } from "./method/list.ts";
import { measureMicro } from "./method/micro.ts";
import { pinLoad } from "./method/process.ts";
import type { Values } from "./method/stats.ts";
import { placeOf, savedTable, tableOf } from "./report.ts";
import { isScaled, partOf, rows } from "./rows.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { settingsOf, shapeOf, shapesOf } from "./settings.ts";
import { work, type Work } from "./work.ts";

/** Values of every server by name. */
type Sample = ReadonlyMap<string, Values>;

/** A measurement, and the ids of its samples. */
interface Measurement {
  readonly id: string;
  readonly gives: readonly string[];
  readonly run: () => Promise<Readonly<Record<string, Sample>>>;
}

const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const settings = fromEnvironment(settingsOf);
const { node, versions, measured, only } = settings;
const shapes = shapesOf(settings);

const ofList = ({ id, contenders, shape }: List): Measurement => ({
  id,
  gives: [id],
  async run() {
    const { cpuUs, p99Ms } = await measureList(contenders, node, shapeOf(settings, shape));
    return { [id]: cpuUs, ...(/^(traced|http2)/.test(id) ? { [id.replace(/^\w+/, "$&-p99")]: p99Ms } : {}) };
  },
});
const ofStarts = (id: string, job: Work, shape = shapes.footprint): Measurement => ({
  id,
  gives: [id],
  run: async () => ({ [id]: await measureStarts(footprintOf(job), node, shape) }),
});
const ofCalls = (id: string): Measurement => ({
  id,
  gives: [id],
  run: async () => ({ [id]: measureMicro(id, node, shapes.micro) }),
});
const all: readonly Measurement[] = [
  ...listsOf(settings.peers).map(ofList),
  ofStarts("startMs", work()),
  ofStarts("routesMs", contracts, { ...shapes.footprint, starts: Math.ceil(shapes.footprint.starts / 2) }),
  {
    id: "memory",
    gives: ["rssMb", "connectionKb", "loadedMb"],
    run: () => measureMemory(footprintOf(work()), node, shapes.footprint),
  },
  ...["calls", "requests", "tools"].map(ofCalls),
];

/** Does a row of them have a target that is scaled by the hello of the same run? */
const needsHello = (some: readonly Measurement[]): boolean =>
  rows.some((row) => isScaled(row) && some.some(({ gives }) => gives.includes(row.list)));

/** The measurements of the whole run, in brief ones spread over three days. @throws Error for an unknown one */
function askedOf(): readonly Measurement[] {
  if (only === undefined) return all.filter(({ id }) => id === "hello" || measured.includes(partOf(id)));
  const named = all.filter(({ id }) => id === only || id.startsWith(`${only}#`));
  if (named.length === 0) throw new Error(`ONLY is ${JSON.stringify(only)}: ${all.map(({ id }) => id).join(", ")}`);
  return all.filter((one) => named.includes(one) || (one.id === "hello" && needsHello(named)));
}

const today = Math.trunc(Date.now() / 86_400_000);
const isDue = (at: number): boolean => !settings.fast || only !== undefined || at % 3 === today % 3;
const asked = fromEnvironment(askedOf);
const due = asked.filter(({ id }, at) => id === "hello" || isDue(at));
const major = Number.parseInt(versions.node, 10);
const samples = new Map<string, Sample>();
const startedAt = Date.now();
const pinned = pinLoad() ? "server and load pinned to a core each" : "not pinned, since taskset is missing";
let failed = 0;
for (const { id, run } of due) {
  const from = Date.now();
  try {
    for (const [name, sample] of Object.entries(await run())) samples.set(name, sample);
    say(`${id}: ${((Date.now() - from) / 1_000).toFixed(0)} s`);
  } catch (error) {
    failed += 1;
    say(`✖ ${id}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const absent = all.flatMap(({ gives }) => gives).filter((id) => !samples.has(id));
const done = all.filter(({ gives }) => gives.every((id) => samples.has(id)));
const lines = samples.has("hello") || !needsHello(done) ? evaluate(samples, major, measured, absent) : [];
const commit = execFileSync("git", ["describe", "--always", "--dirty"], { cwd: root, encoding: "utf8" }).trim();
const { runs, rounds, measuredMs, connections } = shapes.list;
const caption =
  `Node ${versions.node}, ${new Date().toISOString().slice(0, 10)}, commit ${commit}; ${cpus()[0]?.model.trim() ?? ""}, ` +
  `${cpus().length} cores, ${pinned}; ${runs} runs of fresh processes, ${rounds} rounds of ${measuredMs} ms, ` +
  `${connections} connections; ${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes.`;
say(`\n${tableOf(lines, true)}\n\n${caption}`);
const reports = join(root, ".build", "reports");
mkdirSync(reports, { recursive: true });
const counts = { passed: due.length - failed + lines.length, failed };
writeFileSync(join(reports, "bench.json"), JSON.stringify(counts));
say(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
if (failed === 0 && !settings.fast && only === undefined) {
  const raw = Object.fromEntries([...samples].map(([id, list]) => [id, Object.fromEntries(list)]));
  writeFileSync(join(reports, `bench-${measured.join("-")}-node${major}.json`), JSON.stringify(raw));
  for (const part of measured) savedTable(`${caption}\n\n${tableOf(lines)}`, placeOf(part));
}
