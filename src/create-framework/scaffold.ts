/**
 * Scaffolding: creates a new folder with a runnable project, completely or not at all.
 *
 *   templates + packages ──▶ .demo-XXXXXX (a sibling) ──rename──▶ demo
 *                                 │ removed when anything fails
 */
import { chmodSync, copyFileSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { UsageError } from "./errors.ts";
import { packageBeside, packageFrom, VENDOR, type FoundPackage, type PackageName } from "./packages.ts";
import type { Schema } from "./schema.ts";
import { render, type Files } from "./templates.ts";

/** The options of a scaffold. */
export interface ScaffoldOptions {
  readonly name: string;
  readonly devtools: boolean;
  readonly schema: Schema;
  /** Keeps the state that several processes share in Redis. */
  readonly redis: boolean;
  /** The folder with the packages, by default those next to `ownFolder`. */
  readonly from: string | undefined;
  /** The parent of the new folder. */
  readonly parent: string;
  /** The folder of this program's package, which contains `templates/`. */
  readonly ownFolder: string;
}

/** Creates the project and returns its folder. @throws UsageError, or a system error; then nothing remains. */
export function scaffold(options: ScaffoldOptions): string {
  const { name, devtools, schema, redis, from, parent, ownFolder } = options;
  const target = resolve(parent, name);
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined)
    throw new UsageError(`${name} is there already: choose another name`);
  const find = (wanted: PackageName): FoundPackage =>
    from === undefined ? packageBeside(ownFolder, wanted) : packageFrom(resolve(parent, from), wanted);
  const packages = {
    framework: find("framework"),
    create: find("create-framework"),
    ...(devtools ? { devtools: find("@framework/devtools") } : {}),
  };
  const specifiers = Object.entries(packages).map(([key, found]) => [key, specifierOf(found, target)] as const);
  const chosen = ["app", schema, ...(redis ? ["redis"] : []), ...(devtools ? ["devtools"] : [])];
  const layers = chosen.map((layer) => join(ownFolder, "templates", layer));
  const files = render(layers, { name, ...Object.fromEntries(specifiers) });
  const tarballs = Object.values(packages).filter(({ kind }) => kind === "tarball");
  build(
    target,
    files,
    tarballs.map(({ path }) => path),
  );
  return target;
}

/** The package's specifier in the package.json of `target`: always a file, never a version from a registry. */
function specifierOf({ kind, path }: FoundPackage, target: string): string {
  if (kind === "tarball") return `file:${VENDOR}/${basename(path)}`;
  return `file:${relative(target, path).split(sep).join("/")}`;
}

function build(target: string, files: Files, tarballs: readonly string[]): void {
  const folder = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    for (const [path, content] of files) write(join(folder, path), content);
    if (tarballs.length > 0) mkdirSync(join(folder, VENDOR));
    for (const tarball of tarballs) copyFileSync(tarball, join(folder, VENDOR, basename(tarball)));
    chmodSync(folder, 0o755);
    renameSync(folder, target);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
