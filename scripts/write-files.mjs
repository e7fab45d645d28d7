/**
 * Writes the output of a build so that a running program does not notice it: `make dev` in one terminal, `make test` in
 * another.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Writes a file if its text changed. A concurrent reader gets the old or the new text. @param {string} file @param {string} text
 */
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

/**
 * Makes a folder contain exactly these files. @param {string} folder @param {Map<string, string>} files a path in the folder →
 * its text
 */
export function writeFolder(folder, files) {
  for (const [name, text] of files) writeChanged(join(folder, name), text);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, join(entry.parentPath, entry.name));
    // Another build may be about to rename its file.
    if (entry.isFile() && !files.has(name) && !/\.\d+$/.test(name)) rmSync(join(folder, name), { force: true });
  }
}
