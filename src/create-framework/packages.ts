/**
 * The packages that a scaffold depends on: found in a folder, as tarballs or as package folders.
 *
 *   --from <dir> ──▶ framework-1.2.3.tgz       copied into the project, so that it stays whole when moved
 *                └─▶ a folder of that package  pointed at, so that changes there are seen at once
 *
 * It never asks a registry, since a package with that name there may be another project's.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "./errors.ts";

/** The folder of a project for copied tarballs. */
export const VENDOR = "vendor";

/** One of our packages, as found. */
export interface FoundPackage {
  readonly kind: "tarball" | "folder";
  /** Absolute if the searched folder was. */
  readonly path: string;
}

/** The name of one of our packages. */
export type PackageName = "framework" | "@framework/devtools" | "create-framework";

const tarballs: Readonly<Record<PackageName, RegExp>> = {
  framework: /^framework-\d[^/]*\.tgz$/,
  "@framework/devtools": /^framework-devtools-\d[^/]*\.tgz$/,
  "create-framework": /^create-framework-\d[^/]*\.tgz$/,
};

/** The package `name` in the folder that the user named. @throws UsageError if it is missing, or there twice. */
export function packageFrom(folder: string, name: PackageName): FoundPackage {
  if (!isFolder(folder)) throw new UsageError(`--from is ${JSON.stringify(folder)}: that is no folder`);
  const found = tarballIn(folder, name) ?? packageFolderIn(folder, name);
  if (found !== undefined) return found;
  throw new UsageError(`${folder} holds no ${name}: neither its tarball nor its package folder`);
}

/**
 * The tarball of package `name` that came with this program, or with the project in which this program is installed.
 *
 * @throws UsageError if none did
 */
export function packageBeside(ownFolder: string, name: PackageName): FoundPackage {
  const found = [join(ownFolder, "packages"), join(ownFolder, ".."), join(ownFolder, "..", "..", VENDOR)]
    .filter(isFolder)
    .map((folder) => tarballIn(folder, name))
    .find((one) => one !== undefined);
  if (found !== undefined) return found;
  throw new UsageError(`no tarball of ${name} came with this program: name the folder that holds it with --from <dir>`);
}

function tarballIn(folder: string, name: PackageName): FoundPackage | undefined {
  const [first, second] = readdirSync(folder).filter((file) => tarballs[name].test(file));
  if (second !== undefined) throw new UsageError(`${folder} holds ${first} and ${second}: keep one`);
  return first === undefined ? undefined : { kind: "tarball", path: join(folder, first) };
}

function packageFolderIn(folder: string, name: PackageName): FoundPackage | undefined {
  const path = ["", ...readdirSync(folder)]
    .map((entry) => join(folder, entry))
    .find((one) => packageNameOf(one) === name);
  return path === undefined ? undefined : { kind: "folder", path };
}

/** The name in the package.json of `folder`, or undefined without one, or if it cannot be read. */
function packageNameOf(folder: string): unknown {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof content === "object" && content !== null ? Reflect.get(content, "name") : undefined;
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
