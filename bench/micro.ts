/**
 * `make bench-micro`: prints ns per operation of every case, with quartiles. FAST=1 and NODE=24 as for the bench.
 *
 * With a group's name and a shape it is what a process of the micro bench runs, and prints the slices as JSON.
 */
import { writeSync } from "node:fs";
import { groups } from "./micro-cases.ts";
import { measureMicro, takeSlices, type MicroShape } from "./method/micro.ts";
import { cellOf } from "./method/stats.ts";
import { fromEnvironment } from "../test/environment.ts";
import { settingsOf, shapesOf } from "./settings.ts";

const [group, shape] = process.argv.slice(2);
if (group !== undefined) {
  const cases = await groups[group]?.();
  if (cases === undefined) throw new Error(`there is no group ${group}: ${Object.keys(groups).join(", ")}`);
  writeSync(1, JSON.stringify(await takeSlices(cases, JSON.parse(shape ?? "{}") as MicroShape)));
  process.exit();
}
const settings = fromEnvironment(settingsOf);
for (const name of Object.keys(groups)) {
  process.stdout.write(`${name}\n`);
  for (const [id, values] of measureMicro(name, settings.node, shapesOf(settings).micro)) {
    const { median, low, high } = cellOf(values);
    process.stdout.write(
      `  ${id.padEnd(62)} ${median.toFixed(0).padStart(6)} ns [${low.toFixed(0)}–${high.toFixed(0)}]\n`,
    );
  }
}
