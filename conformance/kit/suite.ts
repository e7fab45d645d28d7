/**
 * The identity of the suite in a report. Two reports are comparable only if it is known.
 *
 *   package.json ──▶ version      in the repository: git ──▶ commit      in the package: `gitHead`, which publish.ts writes
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Report } from "./report-shape.ts";

/** The report's description of the suite, with its time. */
export type Suite = NonNullable<Report["suite"]>;

const packaged = fileURLToPath(new URL("../package.json", import.meta.url));
const repository = fileURLToPath(new URL("../../../", import.meta.url));

interface Manifest {
  readonly version: string;
  readonly gitHead?: string;
}

/** This suite, now. */
export function thisSuite(): Suite {
  const isPackaged = existsSync(packaged);
  const file = isPackaged ? packaged : join(repository, "conformance", "package.json");
  const { version, gitHead = null } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const commit = isPackaged ? gitHead : commitOf(repository);
  return { version, commit, date: new Date().toISOString(), node: process.versions.node };
}

/** The commit of a folder's files, with `-dirty` after it if they have changed since, or null if git does not know it. */
export function commitOf(folder: string): string | null {
  const args = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
  const { status, stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
