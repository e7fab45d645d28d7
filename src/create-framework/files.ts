/**
 * Files that a command writes repeatedly: read if they exist, replaced in one step.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Its text, or undefined if there is no such file. @throws a system error if it cannot be read */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes the text as a whole. On failure the old text stays. */
export function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const fresh = `${file}.new`;
  try {
    writeFileSync(fresh, text);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
