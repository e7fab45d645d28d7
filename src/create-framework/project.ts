/**
 * Finds the project of a command: the nearest package above, if `framework new` made it.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "./errors.ts";
import { schemas, type Schema } from "./schema.ts";

/** The file of a project that binds beans and adds routes. */
export const MODULE = "src/module.ts";

/** The nearest folder from `folder` upwards. @throws UsageError if there is none, or it belongs to another kind of project */
export function projectOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) {
      if (existsSync(join(at, MODULE)) && "framework" in dependenciesIn(join(at, "package.json"))) return at;
      throw new UsageError(`${at} is no project that \`framework new\` made: it needs the framework and ${MODULE}`);
    }
    if (at === dirname(at))
      throw new UsageError("there is no project here: run this in a folder that `framework new` made");
  }
}

/** The library with which the project validates request bodies. @param project its folder */
export function schemaOf(project: string): Schema {
  const dependencies = dependenciesIn(join(project, "package.json"));
  return schemas.find((name) => name in dependencies) ?? "none";
}

function dependenciesIn(file: string): Readonly<Record<string, unknown>> {
  try {
    const content = JSON.parse(readFileSync(file, "utf8")) as { dependencies?: Record<string, unknown> } | null;
    return content?.dependencies ?? {};
  } catch {
    return {};
  }
}
