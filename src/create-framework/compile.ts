/**
 * Checks with the project's own compiler whether the project compiles. Nothing is written.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "./errors.ts";

/**
 * Are the compiler and its inputs installed? Not before `npm install`.
 *
 * @throws UsageError if Yarn has installed them without `node_modules`
 */
export function canCompile(project: string): boolean {
  if (["typescript", "framework"].every((name) => packageOf(project, name) !== undefined)) return true;
  if (above(project, ".pnp.cjs") === undefined) return false;
  const remedy = "set `nodeLinker: node-modules` in .yarnrc.yml, then run `yarn install`";
  throw new UsageError(`Yarn's Plug'n'Play writes no node_modules, which the compiler needs: ${remedy}`);
}

/** The folder of an installed package. In a workspace it may be in the `node_modules` of a folder above. */
const packageOf = (project: string, name: string): string | undefined => above(project, join("node_modules", name));

/** The path in the nearest folder from `folder` upwards. */
function above(folder: string, path: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, path))) return join(at, path);
    if (at === dirname(at)) return undefined;
  }
}

/**
 * The compiler's first error, on one line, or undefined if the project compiles.
 *
 * @throws UsageError if a signal ends the compiler
 */
export function compileError(project: string): string | undefined {
  const compiler = join(packageOf(project, "typescript") ?? "", "bin", "tsc");
  const args = [compiler, "--noEmit", "--pretty", "false", "-p", project];
  const { status, signal, stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  if (status === 0) return undefined;
  if (signal !== null) throw new UsageError(`interrupted by ${signal}: nothing was changed`);
  return stdout.split("\n").find((line) => line.includes("error TS")) ?? `the compiler ended with exit code ${status}`;
}
