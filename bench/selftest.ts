/**
 * `make bench-selftest`: a gate that cannot fail is none.
 *
 *   this build against itself          ──▶ must pass
 *   this build against itself + 10 %   ──▶ must fail
 *
 * The slowdown is written by this script into a copy of the context's bundled constructor: a busy wait of a tenth
 * of what a request costs on this machine.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareTrees, lineOf, runs } from "./method/compare-trees.ts";
import { measureList, type ListShape } from "./method/list.ts";
import { canPin, ownEntry, pinLoad, type Host } from "./method/server-process.ts";
import { undisturbed } from "./method/stats.ts";
import { contenderOf, Trees, type Tree } from "./method/trees.ts";
import { fromEnvironment, settingsOf } from "./settings.ts";
import { work } from "./work.ts";

/** Makes every context of the tree take `us` microseconds longer to construct. */
function slowDown({ folder }: Tree, us: number): void {
  const file = join(folder, "src", "framework", "dist", "bundle", "index.js");
  const source = readFileSync(file, "utf8");
  const wait = `const until = performance.now() + ${us / 1000}; while (performance.now() < until);`;
  const slowed = source.replace(
    /(\bRequestContext = class [^]*?constructor\([^)]*\) \{\s*super\([^;]*;)/,
    `$1 ${wait}`,
  );
  if (slowed === source) throw new Error("the context's constructor has changed: the slowdown found no place");
  writeFileSync(file, slowed);
}

const settings = fromEnvironment(settingsOf);
const shape: ListShape = { ...settings.shape, runs };
const pinned = canPin();
if (pinned) pinLoad();
const host: Host = { node: settings.node, entry: ownEntry, pinned };
const trees = new Trees();
try {
  const base = trees.copy("base");
  const measured = await measureList([contenderOf(base, "base", work())], () => host, { ...shape, runs: 2 });
  const us = undisturbed((measured.get("base") ?? []).flat().map(({ cpuUs }) => cpuUs));
  const slowed = trees.copy("slowed");
  slowDown(slowed, us / 10);
  const same = await compareTrees(base, trees.copy("same"), work(), host, shape);
  process.stdout.write(`${lineOf("unchanged", same)}\n`);
  const slow = await compareTrees(base, slowed, work(), host, shape);
  process.stdout.write(`${lineOf(`slowed by ${(us / 10).toFixed(2)} µs of ${us.toFixed(1)}`, slow)}\n`);
  const sound = !same.slower && slow.slower;
  process.stdout.write(
    sound ? "the gate passes what is unchanged and catches what is slower\n" : "the gate is not sound\n",
  );
  process.exitCode = sound ? 0 : 1;
} finally {
  trees.dispose();
}
