/**
 * Finds the package of TanStack Query that a project has.
 *
 *   the nearest package.json above the file ──▶ @tanstack/react-query 5.90 ──▶ { name, hasStreams: true }
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isJson, objectIn, textIn } from "../document/json.ts";
import { readIfThere } from "../files.ts";
import type { TanStack } from "./tanstack.ts";

const core = "@tanstack/query-core";
const adapters = ["react", "preact", "vue", "solid", "svelte"].map((name) => `@tanstack/${name}-query`);

/** The package for a file. If nothing is installed, it is the newest core. */
export function tanStackFor(file: string): TanStack {
  const manifest = manifestAbove(dirname(file));
  const listed = { ...objectIn(manifest["devDependencies"]), ...objectIn(manifest["dependencies"]) };
  const name = adapters.find((one) => one in listed) ?? core;
  const version = versionOf(name, file);
  const [major = 0, minor = 0] = version?.split(".").map(Number) ?? [];
  return { name, hasStreams: version === undefined || major > 5 || (major === 5 && minor >= 86) };
}

function manifestAbove(folder: string): Readonly<Record<string, unknown>> {
  const text = readIfThere(join(folder, "package.json"));
  if (text === undefined && dirname(folder) !== folder) return manifestAbove(dirname(folder));
  return jsonOf(text);
}

/** The adapters and the core have the same version. */
function versionOf(name: string, file: string): string | undefined {
  try {
    return textIn(jsonOf(readIfThere(createRequire(file).resolve(`${name}/package.json`)))["version"]);
  } catch {
    return undefined; // It is not installed, or it hides its package.json.
  }
}

function jsonOf(text: string = "{}"): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : {};
  } catch {
    return {};
  }
}
