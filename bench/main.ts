/**
 * `make bench`: measures every list, prints the table and keeps the figures.
 *
 *   lists ▸ footprint ▸ micro ──▶ evaluate ──▶ short of target? that list again, and both count
 *                                   └──▶ table on the terminal, bench/results/node<major>.json, bench/README.md
 *
 * `FAST=1` runs everything once and briefly, keeps nothing, and counts: each list whose servers answered the same
 * bytes is a pass, and so is each row that has its figures.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evaluate, type Judged, type Observed } from "./evaluate.ts";
import { listsOf, type List } from "./lists.ts";
import { measureFootprints } from "./method/footprint.ts";
import { measureList, together, type Contender, type Measured } from "./method/list.ts";
import { measureMicro } from "./method/micro.ts";
import { canPin, ownEntry, pinLoad, type Host } from "./method/server-process.ts";
import { groups } from "./micro-groups.ts";
import { saveReadme } from "./report/readme.ts";
import { resultOf, saveResult } from "./report/result.ts";
import { doubts, tableText } from "./report/table.ts";
import { doubtful } from "./second-look.ts";
import { root, settingsOf, type Settings } from "./settings.ts";

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const settings = settingsOf(process.env);
  const pinned = canPin();
  if (pinned) pinLoad();
  else say("taskset is missing: servers and load share their cores, so spreads will be wide");
  const host: Host = { node: settings.node, entry: ownEntry, pinned };
  const failures: string[] = [];
  const lists = listsOf(settings.peers);
  const startedAt = Date.now();
  const measured = new Map<string, Measured>();
  const measure = (some: readonly List[]): Promise<void> => measureAll(some, host, settings, measured, failures);
  await measure(lists);
  const footprints = await measureFootprints(footprintContenders(lists), host, settings.footprint);
  const observed: Observed = {
    lists: measured,
    footprints,
    micro: measureMicro(Object.keys(groups), host, settings.micro),
  };
  const major = Number.parseInt(settings.versions.node, 10);
  const judgedNow = (): readonly Judged[] => (failures.length === 0 ? evaluate(observed, major) : []);
  if (!settings.fast) await measure(doubtful(judgedNow(), lists));
  const judged = judgedNow();
  say(`\n${tableText(judged)}`);
  const doubt = settings.fast ? undefined : doubts(judged);
  if (doubt !== undefined) say(doubt.replaceAll("*", ""));
  say(`${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes on Node ${settings.versions.node}`);
  if (settings.fast) return report(lists, judged, failures);
  if (failures.length > 0) throw new Error(failures.join("\n"));
  saveResult(resultOf(settings, pinned, observed, judged));
  saveReadme();
}

/** Measures the lists, on top of what was measured before. */
async function measureAll(
  lists: readonly List[],
  host: Host,
  { shape }: Settings,
  measured: Map<string, Measured>,
  failures: string[],
): Promise<void> {
  for (const { id, contenders } of lists) {
    const before = measured.get(id);
    say(`${id}${before === undefined ? "" : " again"}: ${contenders.map(({ name }) => name).join(" ")}`);
    try {
      const now = await measureList(contenders, () => host, shape);
      measured.set(id, before === undefined ? now : together(before, now));
    } catch (error) {
      failures.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
      say(`✖ ${failures.at(-1) ?? id}`);
    }
  }
}

/** Start and memory are asked of a plain hello. */
function footprintContenders(lists: readonly List[]): readonly Contender[] {
  const wanted = new Set(["bare", "twin", "ours", "fastify", "hono"]);
  return (lists.find(({ id }) => id === "hello")?.contenders ?? []).filter(({ name }) => wanted.has(name));
}

/** The count of a FAST run, for CI. */
function report(lists: readonly List[], judged: readonly Judged[], failures: readonly string[]): void {
  const counts = { passed: lists.length - failures.length + judged.length, failed: failures.length };
  const folder = join(root, ".build", "reports");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bench.json"), JSON.stringify(counts));
  for (const failure of failures) say(`✖ ${failure}`);
  say(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

await main();
