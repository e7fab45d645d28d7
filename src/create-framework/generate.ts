/**
 * Generating: a slice added to a project, whole or not at all.
 *
 *   project ──▶ what is in the way? ──▶ new files ──▶ src/module.ts, last and in one step
 *                                          └─ taken back when anything fails
 *
 * A file that is there is never written over.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "./errors.ts";
import { withSlice } from "./module-file.ts";
import { MODULE, projectOf } from "./project.ts";
import type { ResourceName } from "./resource-name.ts";
import { sliceOf, type Kind } from "./slice.ts";

/** What to generate. */
export interface GenerateOptions {
  readonly kind: Kind;
  readonly name: ResourceName;
  /** A folder of the project, or below it. */
  readonly folder: string;
  /** The folder of this program's package: it has `templates/` in it. */
  readonly ownFolder: string;
}

/**
 * Adds the slice; returns the paths written, the module file last.
 *
 * @throws UsageError, or a system error; then everything is as it was before.
 */
export function generate({ kind, name, folder, ownFolder }: GenerateOptions): readonly string[] {
  const project = projectOf(folder);
  const module = readFileSync(join(project, MODULE), "utf8");
  const isThere = (path: string): boolean => existsSync(join(project, path));
  const slice = sliceOf(kind, name, join(ownFolder, "templates", "resource"), isThere);
  rejectUnbound(module, slice.needs);
  const there = [...slice.files.keys()].find(isThere);
  if (there !== undefined) throw new UsageError(`${there} is there already: nothing is written over`);
  if (slice.additions.routes.length > 0) rejectTakenPath(project, `/${name.folder}`);
  write(project, slice.files, withSlice(module, slice.additions));
  return [...slice.files.keys(), MODULE];
}

function rejectUnbound(module: string, needs: readonly string[]): void {
  const unbound = needs.find((type) => !new RegExp(`\\b${type}\\b`).test(module));
  if (unbound === undefined) return;
  throw new UsageError(`${unbound} is there, but ${MODULE} does not bind it: bind it first`);
}

function rejectTakenPath(project: string, path: string): void {
  for (const file of [MODULE, "src/app.ts"]) {
    const text = existsSync(join(project, file)) ? readFileSync(join(project, file), "utf8") : "";
    if ([`"${path}"`, `'${path}'`].some((literal) => text.includes(literal)))
      throw new UsageError(`${file} has the path "${path}" already: choose another name`);
  }
}

function write(project: string, files: ReadonlyMap<string, string>, module: string): void {
  const written: string[] = [];
  const made: string[] = [];
  try {
    for (const [path, content] of files) {
      const file = join(project, path);
      if (mkdirSync(dirname(file), { recursive: true }) !== undefined) made.push(dirname(file));
      writeFileSync(file, content, { flag: "wx" });
      written.push(file);
    }
    const fresh = join(project, `${MODULE}.new`);
    writeFileSync(fresh, module, { flag: "wx" });
    written.push(fresh);
    renameSync(fresh, join(project, MODULE));
  } catch (error) {
    for (const file of written) rmSync(file, { force: true });
    for (const folder of made) rmdirSync(folder);
    throw error;
  }
}
