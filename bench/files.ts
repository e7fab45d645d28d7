/** The folder of files that the servers of the bench serve: written once, before they start. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../test/environment.ts";
import { files } from "./work.ts";

/** Writes the files and returns their folder. */
export function writtenFiles(): string {
  const folder = join(root, ".build", "bench-files");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
