/**
 * Checks with the project's own compiler whether the project compiles. Nothing is written.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "./errors.ts";

const compilerOf = (project: string): string => join(project, "node_modules", "typescript", "bin", "tsc");

/** Are the compiler and its inputs installed? Not before `npm install`. */
export function canCompile(project: string): boolean {
  return existsSync(compilerOf(project)) && existsSync(join(project, "node_modules", "framework"));
}

/**
 * The compiler's first error, on one line, or undefined if the project compiles.
 *
 * @throws UsageError if a signal ends the compiler
 */
export function compileError(project: string): string | undefined {
  const args = [compilerOf(project), "--noEmit", "--pretty", "false", "-p", project];
  const { status, signal, stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  if (status === 0) return undefined;
  if (signal !== null) throw new UsageError(`interrupted by ${signal}: nothing was changed`);
  return stdout.split("\n").find((line) => line.includes("error TS")) ?? `the compiler ended with exit code ${status}`;
}
