/** Finds a suite's program below a folder, so that DIR may be its own folder or one with several suites. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The first file below the folder with a path that ends so, or undefined if there is none. */
export function fileBelow(folder: string, ending: string): string | undefined {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const found = names.filter((name) => name === ending || name.endsWith(`/${ending}`)).toSorted();
  return found[0] === undefined ? undefined : join(folder, found[0]);
}
