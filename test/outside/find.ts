/** Where a suite's program lies below a folder, so that DIR may be its own folder or one that holds several. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The first file below the folder whose path ends so; undefined when there is none. */
export function fileBelow(folder: string, ending: string): string | undefined {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const found = names.filter((name) => name === ending || name.endsWith(`/${ending}`)).toSorted();
  return found[0] === undefined ? undefined : join(folder, found[0]);
}
