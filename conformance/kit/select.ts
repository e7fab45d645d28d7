/** The requirements that a command line selects. */
import { requirements, type RequirementId } from "../../spec/requirements.ts";

const all = Object.keys(requirements) as RequirementId[];

/** The ids of these areas and ids, all by default. Throws an Error that names an unknown one. */
export function select(names: readonly string[]): readonly RequirementId[] {
  const unknown = names.filter((name) => !all.some((id) => isIn(name, id)));
  if (unknown.length > 0) {
    const areas = [...new Set(all.map((id) => id.split("-")[0]))].join(" ");
    throw new Error(`${unknown.join(", ")}: no area and no id of the specification; the areas are ${areas}`);
  }
  return names.length === 0 ? all : all.filter((id) => names.some((name) => isIn(name, id)));
}

/** The ids of a known-failing file: one per line, `#` begins a comment. Throws an Error that names an unknown one. */
export function knownFailing(text: string): ReadonlySet<string> {
  const ids = text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
  const unknown = ids.filter((id) => !(all as readonly string[]).includes(id));
  if (unknown.length > 0) throw new Error(`known failing, but no id of the specification: ${unknown.join(", ")}`);
  return new Set(ids);
}

function isIn(name: string, id: RequirementId): boolean {
  return id === name || id.split("-")[0] === name;
}
