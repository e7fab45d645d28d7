/**
 * Scaffolding: creates a folder with a runnable project, or fills an empty one, completely or not at all.
 *
 *   templates + packages ──▶ demo/.new-XXXXXX ──rename──▶ demo/…
 *                                 │ removed when anything fails, with what was made
 */
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { UsageError } from "./errors.ts";
import { packageBeside, packageFrom, VENDOR, type FoundPackage, type PackageName } from "./packages.ts";
import { projectTarget } from "./project-name.ts";
import type { Schema, WorkEngineName } from "./schema.ts";
import { render, type Files } from "./templates.ts";

/** The options of a scaffold. */
export interface ScaffoldOptions {
  /** The name, the path or `.`: see `projectTarget`. */
  readonly name: string;
  readonly devtools: boolean;
  readonly schema: Schema;
  /** Keeps the state that several processes share in Redis. */
  readonly redis: boolean;
  /** The engine of its jobs, if it has some. */
  readonly work: WorkEngineName | undefined;
  /** Makes its routes tools for agents. */
  readonly tools?: boolean | undefined;
  /** The folder with the packages, by default those next to `ownFolder`. */
  readonly from: string | undefined;
  /** The folder from which a path leads to the new one. */
  readonly parent: string;
  /** The folder of this program's package, which contains `templates/`. */
  readonly ownFolder: string;
}

/** Creates the project and returns its folder. @throws UsageError, or a system error; then nothing remains. */
export function scaffold(options: ScaffoldOptions): string {
  const { devtools, schema, work, tools, from, parent, ownFolder } = options;
  const redis = options.redis || work === "redis";
  const { folder: target, name, packageName } = projectTarget(options.name, parent);
  if (isTaken(target)) throw new UsageError(`${options.name} is there already, and not empty: choose another name`);
  const find = (wanted: PackageName): FoundPackage =>
    from === undefined ? packageBeside(ownFolder, wanted) : packageFrom(resolve(parent, from), wanted);
  const packages = {
    framework: find("framework"),
    create: find("create-framework"),
    ...(devtools ? { devtools: find("@framework/devtools") } : {}),
  };
  const specifiers = Object.entries(packages).map(([key, found]) => [key, specifierOf(found, target)] as const);
  const jobs = work === undefined ? [] : ["work", `work-${work}`];
  const chosen = [
    "app",
    schema,
    ...(redis ? ["redis"] : []),
    ...jobs,
    ...(tools === true ? ["tools"] : []),
    ...(devtools ? ["devtools"] : []),
  ];
  const layers = chosen.map((layer) => join(ownFolder, "templates", layer));
  const choices = [...chosen, ...(work === "pg" ? ["pg"] : []), ...(redis || work === "pg" ? ["shared"] : [])];
  const files = render(layers, { name, package: packageName, ...Object.fromEntries(specifiers) }, choices);
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

/** Is there anything but an empty folder, or a new repository? */
function isTaken(target: string): boolean {
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return !found.isDirectory() || readdirSync(target).some((entry) => entry !== ".git");
}

function build(target: string, files: Files, tarballs: readonly string[]): void {
  const made = mkdirSync(target, { recursive: true });
  const moved: string[] = [];
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(target, ".new-"));
    for (const [path, content] of files) write(join(folder, path), content);
    if (tarballs.length > 0) mkdirSync(join(folder, VENDOR));
    for (const tarball of tarballs) copyFileSync(tarball, join(folder, VENDOR, basename(tarball)));
    for (const entry of readdirSync(folder)) {
      renameSync(join(folder, entry), join(target, entry));
      moved.push(join(target, entry));
    }
    rmSync(folder, { recursive: true });
  } catch (error) {
    for (const path of [...moved, folder, made]) if (path !== undefined) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
