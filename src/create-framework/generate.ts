/**
 * Generating: adds a slice to a project, completely or not at all.
 *
 *   project ──▶ what is in the way? ──▶ new files ──▶ src/module.ts, last and in one step ──▶ does it compile?
 *                                          └─ all of it is put back when anything fails ◀──────────┘
 *
 * An existing file is never overwritten.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { canCompile, compileError } from "./compile.ts";
import { UsageError } from "./errors.ts";
import { uses, withSlice } from "./module-file.ts";
import { MODULE, projectOf, schemaOf } from "./project.ts";
import type { ResourceName } from "./resource-name.ts";
import { sliceOf, type Kind, type Slice } from "./slice.ts";

/** What to generate. */
export interface GenerateOptions {
  readonly kind: Kind;
  readonly name: ResourceName;
  /** A folder of the project, or one below it. */
  readonly folder: string;
  /** The folder of this program's package, which contains `templates/`. */
  readonly ownFolder: string;
}

/** What was generated. */
export interface Generated {
  /** The paths written, the module file last. */
  readonly paths: readonly string[];
  /** False if the project's dependencies are not installed yet; then nothing was compiled. */
  readonly isCompiled: boolean;
}

/**
 * Adds the slice.
 *
 * @throws UsageError, or a system error; then everything is as before.
 */
export function generate({ kind, name, folder, ownFolder }: GenerateOptions): Generated {
  const project = projectOf(folder);
  const module = readFileSync(join(project, MODULE), "utf8");
  const isThere = (path: string): boolean => existsSync(join(project, path));
  const templates = join(ownFolder, "templates", "resource");
  const slice = sliceOf(kind, name, { templates, schema: schemaOf(project), isThere });
  rejectUnbound(module, slice);
  const there = [...slice.files.keys()].find(isThere);
  if (there !== undefined) throw new UsageError(`${there} is there already: nothing is written over`);
  rejectTakenName(module, slice);
  if (slice.additions.routes.length > 0) rejectTakenPath(project, `/${name.folder}`);
  const isCompiled = canCompile(project);
  const putBack = write(project, slice.files, withSlice(module, slice.additions));
  if (isCompiled) rejectUncompilable(project, putBack);
  return { paths: [...slice.files.keys(), MODULE], isCompiled };
}

function rejectUnbound(module: string, { needs }: Slice): void {
  const unbound = needs.find((type) => !uses(module, type));
  if (unbound === undefined) return;
  throw new UsageError(`${unbound} is there, but ${MODULE} does not bind it: bind it first`);
}

function rejectTakenName(module: string, { additions }: Slice): void {
  const names = additions.imports.flatMap(
    (line) =>
      /(?:\{([^{}]*)\}|\* as \w+)/
        .exec(line)?.[0]
        .match(/\w+/g)
        ?.filter((word) => word !== "as") ?? [],
  );
  const taken = names.find((name) => uses(module, name));
  if (taken !== undefined) throw new UsageError(`${MODULE} has a ${taken} already: choose another name`);
}

function rejectTakenPath(project: string, path: string): void {
  for (const file of [MODULE, "src/app.ts"]) {
    const text = existsSync(join(project, file)) ? readFileSync(join(project, file), "utf8") : "";
    if ([`"${path}"`, `'${path}'`].some((literal) => text.includes(literal)))
      throw new UsageError(`${file} has the path "${path}" already: choose another name`);
  }
}

function rejectUncompilable(project: string, putBack: () => void): void {
  const after = complaintOr(project, putBack);
  if (after === undefined) return;
  putBack();
  const before = compileError(project);
  throw new UsageError(
    before === undefined
      ? `nothing was changed, since with the slice the project would not compile: ${after}`
      : `nothing was changed, since the project does not compile: ${before}`,
  );
}

/** The compiler's error. If it cannot run, everything is restored. */
function complaintOr(project: string, putBack: () => void): string | undefined {
  try {
    return compileError(project);
  } catch (error) {
    putBack();
    throw error;
  }
}

/** Writes all of it. Returns a function that restores the old state. */
function write(project: string, files: ReadonlyMap<string, string>, module: string): () => void {
  const target = join(project, MODULE);
  const fresh = `${target}.new`;
  const before = readFileSync(target);
  const written: string[] = [];
  const made: string[] = [];
  const putBack = (): void => {
    for (const file of written) rmSync(file, { force: true });
    for (const folder of made) rmdirSync(folder);
  };
  try {
    for (const [path, content] of files) {
      const file = join(project, path);
      if (mkdirSync(dirname(file), { recursive: true }) !== undefined) made.push(dirname(file));
      writeFileSync(file, content, { flag: "wx" });
      written.push(file);
    }
    writeFileSync(fresh, module, { flag: "wx" });
    written.push(fresh);
    renameSync(fresh, target);
  } catch (error) {
    putBack();
    throw error;
  }
  return () => {
    writeFileSync(fresh, before, { flag: "wx" });
    renameSync(fresh, target);
    putBack();
  };
}
