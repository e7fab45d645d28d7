/**
 * Trees: whole copies of the packages, so that two states of the sources can run side by side.
 *
 *   git worktree of <ref>, built ──┐
 *   this tree's own build, copied ─┴─▶ <tree>/.build/bench/server.js, which finds that tree's packages by name
 *
 * The bench's own code is the same on both sides: only what it imports differs. Everything is in a temporary
 * folder that goes when the program ends.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../settings.ts";
import type { Contender } from "./list.ts";
import type { Work } from "../work.ts";

/** A copy of the packages. */
export interface Tree {
  readonly folder: string;
}

/** A temporary folder for trees, removed by `dispose`. */
export class Trees {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-")));
  readonly #worktrees: string[] = [];

  /** The packages as they are built here. */
  copy(name: string): Tree {
    const folder = join(this.#folder, name);
    for (const part of ["src/framework", "src/devtools"]) {
      mkdirSync(join(folder, part), { recursive: true });
      for (const file of ["dist", "package.json"])
        cpSync(join(root, part, file), join(folder, part, file), { recursive: true });
    }
    return equipped(folder);
  }

  /** The packages at a commit. @throws Error when git knows no such commit, or it does not build. */
  checkout(ref: string): Tree {
    const folder = join(this.#folder, "base");
    git("worktree", "add", "--detach", "--quiet", folder, ref);
    this.#worktrees.push(folder);
    const tree = equipped(folder);
    const inTree = { cwd: folder, stdio: "inherit" } as const;
    const tsc = join(root, "node_modules", ".bin", "tsc");
    execFileSync(tsc, ["-b", "src/framework", "src/devtools", "src/devtools/dashboard"], inTree);
    for (const script of ["bundle-framework.mjs", "build-dashboard.mjs"])
      if (existsSync(join(folder, "scripts", script)))
        execFileSync(process.execPath, [join("scripts", script)], inTree);
    return tree;
  }

  dispose(): void {
    for (const folder of this.#worktrees) git("worktree", "remove", "--force", folder);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The server entry of a tree. */
export const entryOf = ({ folder }: Tree): string => join(folder, ".build", "bench", "server.js");

/** The framework of a tree, as a contender. */
export const contenderOf = (tree: Tree, name: string, work: Work): Contender => ({
  name,
  module: pathToFileURL(join(tree.folder, ".build", "bench", "servers", "ours.js")).href,
  work,
});

/** With installed packages linked, our own from the tree itself, and this bench's code. */
function equipped(folder: string): Tree {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@framework"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "framework" && !name.startsWith("@framework"))
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  symlinkSync(join(folder, "src", "framework"), join(modules, "framework"));
  symlinkSync(join(folder, "src", "devtools"), join(modules, "@framework", "devtools"));
  cpSync(join(root, ".build", "bench"), join(folder, ".build", "bench"), { recursive: true });
  return { folder };
}

function git(...args: readonly string[]): void {
  execFileSync("git", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
