/**
 * Writes the publishable tarballs to .build/pack/ and lists them.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./process.mjs";

const target = join(root, ".build", "pack");
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const name of ["framework", "devtools"]) {
  await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", target, `./src/${name}`]);
}
const tarballs = readdirSync(target);
if (tarballs.length !== 2) throw new Error(`expected 2 tarballs, found ${tarballs.length}`);
for (const name of tarballs) process.stdout.write(`${join(".build", "pack", name)}\n`);
