/**
 * Writes what a build makes, so that a build beside a program that runs from it is not noticed: `make dev` in one
 * terminal, `make test` in another.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Writes a file whose text changed; whoever reads it meanwhile has the old text or the new. @param {string} file @param {string} text */
export function writeChanged(file, text) {
  try {
    if (readFileSync(file, "utf8") === text) return;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    mkdirSync(dirname(file), { recursive: true });
  }
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, text);
  renameSync(beside, file);
}

/** Makes a folder hold these files and no others. @param {string} folder @param {Map<string, string>} files a path in the folder → its text */
export function writeFolder(folder, files) {
  for (const [name, text] of files) writeChanged(join(folder, name), text);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, join(entry.parentPath, entry.name));
    // Another build may be about to rename its file.
    if (entry.isFile() && !files.has(name) && !/\.\d+$/.test(name)) rmSync(join(folder, name), { force: true });
  }
}
