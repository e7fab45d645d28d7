/**
 * Compares users' download sizes with those of the last commit in sizes.json. An increase of half a per cent fails, here and in
 * review.
 *
 *   node scripts/sizes.mjs            measures and compares (`make check`, behind what packs)
 *   node scripts/sizes.mjs --write    measures and writes sizes.json: a commit of its own, which says why
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";

const file = "sizes.json";
const output = (command, args) => execFileSync(command, args, { cwd: root, encoding: "utf8" });

const measured = JSON.parse(output(join("node_modules", ".bin", "size-limit"), ["--json"]));
if (process.argv.includes("--write")) {
  const sizes = Object.fromEntries(measured.map(({ name, size }) => [name, size]));
  writeFileSync(join(root, file), `${JSON.stringify(sizes, null, 2)}\n`);
} else {
  const before = JSON.parse(output("git", ["show", `HEAD:${file}`]));
  for (const { name, size } of measured) {
    const limit = Math.floor((before[name] ?? 0) * 1.005);
    process.stdout.write(`${size > limit ? "✖" : "ok"} ${name}: ${size} bytes, ${limit} allowed\n`);
    if (size > limit) process.exitCode = 1;
  }
}
