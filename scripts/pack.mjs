/**
 * Writes the publishable tarballs to .build/pack/ and lists them.
 */
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./process.mjs";
import { publishedFolder } from "./published.mjs";

const target = join(root, ".build", "pack");
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const name of ["framework", "devtools"]) {
  await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", target, publishedFolder(name)]);
}
// The scaffolder carries the packages that its projects install.
const carried = join(root, "src", "create-framework", "packages");
rmSync(carried, { recursive: true, force: true });
cpSync(target, carried, { recursive: true });
await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", target, "./src/create-framework"]);
const tarballs = readdirSync(target);
if (tarballs.length !== 3) throw new Error(`expected 3 tarballs, found ${tarballs.length}`);
for (const name of tarballs) process.stdout.write(`${join(".build", "pack", name)}\n`);
