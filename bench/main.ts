/**
 * `make bench`: measures every list, prints the table and keeps the figures.
 *
 *   lists ▸ footprints ▸ parts ──▶ evaluate ──▶ short of target? what that row comes from again, and all of it counts
 *                                     └──▶ table on the terminal, bench/results/node<major>.json, bench/README.md
 *
 * `FAST=1` runs everything once and briefly, keeps nothing, and counts: each list whose servers answered the same
 * bytes is a pass, and so is each row that has its figures.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evaluate, type Judged } from "./evaluate.ts";
import { listsOf, type List } from "./lists.ts";
import { everything, furtherLook, furtherLooks } from "./looks.ts";
import { canPin, ownEntry, pinLoad, type Host } from "./method/server-process.ts";
import { Observation } from "./observation.ts";
import { saveReadme } from "./report/readme.ts";
import { resultOf, saveResult } from "./report/result.ts";
import { doubts, everybody, tableText, verdictTable } from "./report/table.ts";
import { fromEnvironment, root, settingsOf } from "./settings.ts";

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const settings = fromEnvironment(settingsOf);
  const pinned = canPin();
  if (pinned) pinLoad();
  else say("taskset is missing: servers and load share their cores, so spreads will be wide");
  const host: Host = { node: settings.node, entry: ownEntry, pinned };
  const lists = listsOf(settings.peers);
  const startedAt = Date.now();
  const observation = new Observation(host, settings, say);
  const major = Number.parseInt(settings.versions.node, 10);
  const judge = (): readonly Judged[] => (observation.failures.length === 0 ? evaluate(observation, major) : []);
  await observation.add(everything(lists));
  for (let look = 0; look < (settings.fast ? 0 : furtherLooks); look += 1) {
    const further = furtherLook(judge(), lists);
    if (further === undefined) break;
    await observation.add(further);
  }
  const judged = judge();
  say(`\n${tableText(verdictTable(judged))}\n\n${tableText(everybody(judged))}`);
  const doubt = settings.fast ? undefined : doubts(judged);
  if (doubt !== undefined) say(doubt.replaceAll("*", ""));
  say(`${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes on Node ${settings.versions.node}`);
  const { failures } = observation;
  if (settings.fast) return report(lists, judged, failures);
  if (failures.length > 0) throw new Error(failures.join("\n"));
  saveResult(resultOf(settings, pinned, observation, judged));
  saveReadme();
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
