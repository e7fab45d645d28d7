/** The folder of files that the servers of the bench serve, written once, before they start; and those that they write into. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../test/environment.ts";
import { files } from "./work.ts";

/** A folder for what servers write; what is there of an earlier run is gone. */
export function emptyFolder(name: string): string {
  const folder = join(root, ".build", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes the files and returns their folder. */
export function writtenFiles(): string {
  const folder = join(root, ".build", "bench-files");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
