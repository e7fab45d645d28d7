/**
 * Trees: the packages of another commit, built, so that two states of the sources can run side by side.
 *
 *   git archive <ref> ──▶ <folder>, built, with the installed packages linked and this bench's code copied
 *                     ──▶ <folder>/.build/bench/server.js, which finds that folder's packages by name
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../../test/environment.ts";

/** Puts the packages at a commit into an empty folder and builds them. @throws Error when they do not build. */
export function checkOut(ref: string, folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@framework"), { recursive: true });
  execFileSync("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", ref, folder], { cwd: root });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "framework" && name !== "@framework")
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(join(folder, "src", "framework"), join(modules, "framework"));
  symlinkSync(join(folder, "src", "devtools"), join(modules, "@framework", "devtools"));
  for (const code of ["bench", "test/environment.js"])
    cpSync(join(root, ".build", code), join(folder, ".build", code), { recursive: true });
  const inTree = { cwd: folder, stdio: "inherit" } as const;
  execFileSync("node_modules/.bin/tsc", ["-b", "src/framework", "src/devtools", "src/devtools/dashboard"], inTree);
  for (const script of ["scripts/bundle-framework.mjs", "scripts/build-dashboard.mjs"])
    if (existsSync(join(folder, script))) execFileSync(process.execPath, [script], inTree);
}

/** How the framework of a folder is started: by that folder's copy of the bench. */
export const serverOf = (folder: string): { readonly entry: string; readonly module: string } => ({
  entry: join(folder, ".build", "bench", "server.js"),
  module: pathToFileURL(join(folder, ".build", "bench", "servers", "ours.js")).href,
});
