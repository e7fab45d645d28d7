/**
 * Writes the shapes of spec/ as JSON Schema files, and the OpenAPI description, for readers in any language.
 *
 *   .build/spec/*.js ──▶ every exported schema with an $id ──▶ spec/json/<$id>.json  (committed)
 *                    └─▶ openapi ──▶ spec/json/openapi.json
 *
 *   node scripts/emit-schemas.mjs            into the package (every build)
 *   node scripts/emit-schemas.mjs --write    into spec/json too (`make spec`)
 *   node scripts/emit-schemas.mjs --check    fail when what is committed is not what would be written
 *
 * spec/json is committed, so that a change of a shape shows in review.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isProgram, root } from "./process.mjs";

const source = join(root, ".build", "spec");
const target = join(root, "spec", "json");
const dialect = "https://json-schema.org/draft/2020-12/schema";

/**
 * What belongs into spec/json.
 *
 * @returns {Promise<Map<string, string>>} file name → text
 */
export async function emitted() {
  const files = new Map();
  for (const file of readdirSync(source).filter((name) => /^[a-z-]+\.js$/.test(name))) {
    const exported = await import(pathToFileURL(join(source, file)).href);
    for (const schema of Object.values(exported)) {
      if (typeof schema?.$id === "string") files.set(`${schema.$id}.json`, text({ $schema: dialect, ...schema }));
    }
    if (exported.openapi) files.set("openapi.json", text(exported.openapi));
  }
  if (files.size < 2) throw new Error("no schema was found in .build/spec");
  return files;
}

/** @param {object} value */
function text(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** @returns {Map<string, string>} what is there */
function committed() {
  try {
    return new Map(readdirSync(target).map((name) => [name, readFileSync(join(target, name), "utf8")]));
  } catch {
    return new Map();
  }
}

/**
 * Names of files that are missing, stale, or no longer emitted.
 *
 * @param {Map<string, string>} wanted
 * @param {Map<string, string>} found
 * @returns {string[]}
 */
export function differences(wanted, found) {
  return [...new Set([...wanted.keys(), ...found.keys()])]
    .filter((name) => wanted.get(name) !== found.get(name))
    .sort();
}

/** @param {readonly string[]} argv */
async function main(argv) {
  const wanted = await emitted();
  if (argv.includes("--check")) {
    const stale = differences(wanted, committed());
    if (stale.length > 0) {
      process.stderr.write(
        `spec/json is not what spec/*.ts says (${stale.join(", ")}): run \`make spec\` and commit it\n`,
      );
      process.exitCode = 1;
    }
    return;
  }
  if (argv.includes("--write")) {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const [name, content] of wanted) writeFileSync(join(target, name), content);
    process.stdout.write(`${wanted.size} files in spec/json\n`);
  }
  const packaged = join(root, "src", "framework", "spec");
  rmSync(packaged, { recursive: true, force: true });
  mkdirSync(packaged, { recursive: true });
  for (const [name, content] of wanted) writeFileSync(join(packaged, name), content);
}

if (isProgram(import.meta)) await main(process.argv.slice(2));
