/**
 * `make bench-micro`: ns per operation of the parts of a request, with their spread. FAST=1 and NODE=24 as for the bench.
 */
import { measureMicro, microOf } from "./method/micro.ts";
import { canPin } from "./method/server-process.ts";
import { groups } from "./micro-groups.ts";
import { fromEnvironment, settingsOf } from "./settings.ts";

const { node, micro } = fromEnvironment(settingsOf);
const measured = microOf(measureMicro(Object.keys(groups), { node, pinned: canPin() }, micro));
const figures = Object.values(measured);
const wide = Math.max(...figures.map(({ title }) => title.length));
process.stdout.write(`${"".padEnd(wide)}      ns   [quartiles]\n`);
for (const { title, less, ns } of figures) {
  const spread = `[${ns.low.toFixed(0)} to ${ns.high.toFixed(0)}]`;
  const off = less === undefined ? "" : `  over "${measured[less]?.title ?? less}"`;
  process.stdout.write(`${title.padEnd(wide)}  ${ns.median.toFixed(0).padStart(6)}   ${spread}${off}\n`);
}
