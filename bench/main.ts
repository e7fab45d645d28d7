/**
 * `make bench`: measures everything in the same way, prints the table and keeps it.
 *
 *   lists ▸ footprints ▸ bean calls ──▶ evaluate ──▶ terminal, bench/README.md, .build/reports/bench-<part>-node<major>.json
 *
 * `FAST=1` runs a third of the lists briefly, another third each day, and keeps no figure. It counts for CI: each list with equal
 * bytes from its servers is a pass, and so is each row with its figures. The exit code says whether everything was measured, not
 * who won. If a list breaks off, the rest of the table is printed but not kept.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { evaluate } from "./evaluate.ts";
import { footprintsOf, listsOf } from "./lists.ts";
import { measureFootprints } from "./method/footprint.ts";
import { measureList } from "./method/list.ts";
import { measureMicro } from "./method/micro.ts";
import { pinLoad } from "./method/process.ts";
import type { Values } from "./method/stats.ts";
import { placeOf, savedTable, tableOf } from "./report.ts";
import { partOf } from "./rows.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { settingsOf, shapeOf, shapesOf } from "./settings.ts";

const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const settings = fromEnvironment(settingsOf);
const { node, versions, measured } = settings;
const shapes = shapesOf(settings);
const today = Math.trunc(Date.now() / 86_400_000);
const isDue = (at: number): boolean => !settings.fast || at % 3 === today % 3;
const asked = listsOf(settings.peers).filter(({ id }) => id === "hello" || measured.includes(partOf(id)));
// Targets in µs are scaled by the hello of the same run.
const lists = asked.filter(({ id }, at) => id === "hello" || isDue(at));
const major = Number.parseInt(versions.node, 10);
const samples = new Map<string, ReadonlyMap<string, Values>>();
const startedAt = Date.now();
const pinned = pinLoad() ? "server and load pinned to a core each" : "not pinned, since taskset is missing";
let failed = 0;
for (const { id, contenders, shape } of lists) {
  say(`${id}: ${contenders.map(({ name }) => name).join(" ")}`);
  try {
    const { cpuUs, p99Ms } = await measureList(contenders, node, shapeOf(settings, shape));
    samples.set(id, cpuUs);
    if (/^(traced|http2)/.test(id)) samples.set(id.replace(/^\w+/, "$&-p99"), p99Ms);
  } catch (error) {
    failed += 1;
    say(`✖ ${id}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
if (measured.includes("core")) {
  say("start and memory");
  for (const [id, values] of Object.entries(await measureFootprints(footprintsOf(), node, shapes.footprint)))
    samples.set(id, values);
  say("bean calls");
  for (const group of ["calls", "requests", "tools"]) samples.set(group, measureMicro(group, node, shapes.micro));
}

const absent = asked.filter(({ id }) => !samples.has(id)).map(({ id }) => id);
const lines = samples.has("hello") ? evaluate(samples, major, measured, absent) : [];
const commit = execFileSync("git", ["describe", "--always", "--dirty"], { cwd: root, encoding: "utf8" }).trim();
const { runs, rounds, measuredMs, connections } = shapes.list;
const caption =
  `Node ${versions.node}, ${new Date().toISOString().slice(0, 10)}, commit ${commit}; ${cpus()[0]?.model.trim() ?? ""}, ` +
  `${cpus().length} cores, ${pinned}; ${runs} runs of fresh processes, ${rounds} rounds of ${measuredMs} ms, ` +
  `${connections} connections; ${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes.`;
say(`\n${tableOf(lines, true)}\n\n${caption}`);
const reports = join(root, ".build", "reports");
mkdirSync(reports, { recursive: true });
const counts = { passed: lists.length - failed + lines.length, failed };
writeFileSync(join(reports, "bench.json"), JSON.stringify(counts));
say(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
if (failed === 0 && !settings.fast) {
  const raw = Object.fromEntries([...samples].map(([id, list]) => [id, Object.fromEntries(list)]));
  writeFileSync(join(reports, `bench-${measured.join("-")}-node${major}.json`), JSON.stringify(raw));
  for (const part of measured) savedTable(`${caption}\n\n${tableOf(lines)}`, placeOf(part));
}
