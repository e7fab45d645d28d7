/**
 * What the application is called: the page shows it, so that the tabs of several applications can be told apart.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** At most so much of a name is shown. */
const LONGEST = 60;

/** The name in the package.json of this folder; undefined where there is none. */
export function appName(folder: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly name?: unknown };
    return typeof name === "string" && name !== "" ? name.slice(0, LONGEST) : undefined;
  } catch {
    return undefined;
  }
}
