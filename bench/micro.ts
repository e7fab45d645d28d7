/**
 * `make bench-micro`: ns per operation of the parts of a request, with their spread. `--json` for other programs.
 */
import { writeSync } from "node:fs";
import { casesOf } from "./micro-cases.ts";
import { measureCases } from "./method/ns-per-op.ts";

process.env["FRAMEWORK_DEVTOOLS"] = "true";
process.env["NODE_ENV"] = "development";
const fast = process.env["FAST"] === "1";
const cases = await casesOf();
const cells = await measureCases(cases, fast ? { samples: 3, batchMs: 2 } : { samples: 25, batchMs: 12 });
if (process.argv.includes("--json")) {
  const entries = cases.map(({ id, title }) => [id, { title, ns: cells.get(id) }]);
  writeSync(1, JSON.stringify(Object.fromEntries(entries)));
} else {
  const wide = Math.max(...cases.map(({ title }) => title.length));
  writeSync(1, `${"".padEnd(wide)}      ns   [quartiles]\n`);
  for (const { id, title, less } of cases) {
    const cell = cells.get(id);
    if (cell === undefined) continue;
    const spread = `[${cell.low.toFixed(0)} to ${cell.high.toFixed(0)}]`;
    const off = less === undefined ? "" : `  over "${cases.find((one) => one.id === less)?.title ?? less}"`;
    writeSync(1, `${title.padEnd(wide)}  ${cell.median.toFixed(0).padStart(6)}   ${spread}${off}\n`);
  }
}
process.exit();
