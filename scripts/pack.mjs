/**
 * Writes the publishable tarballs to .build/pack/, and lists them.
 */
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./process.mjs";
import { publishedFolder } from "./published.mjs";

const target = join(root, ".build", "pack");
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const name of ["framework", "devtools"]) {
  run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", target, publishedFolder(name)]);
}
// The scaffolder contains the packages that its projects install, including itself. `npx framework` in a project runs that
// inner copy. It contains no packages, since the project already has them.
const carried = join(root, "src", "create-framework", "packages");
rmSync(carried, { recursive: true, force: true });
const scaffolder = ["pack", "--silent", "--ignore-scripts", "--pack-destination", target, "./src/create-framework"];
run("npm", scaffolder);
cpSync(target, carried, { recursive: true });
run("npm", scaffolder);
// After the copying, since a project does not install the suite.
run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", target, publishedFolder("conformance")]);
const tarballs = readdirSync(target);
if (tarballs.length !== 4) throw new Error(`expected 4 tarballs, found ${tarballs.length}`);
for (const name of tarballs) process.stdout.write(`${join(".build", "pack", name)}\n`);
