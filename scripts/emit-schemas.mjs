/**
 * Writes the shapes of spec/ as JSON Schema files, and the OpenAPI description, for readers in any language.
 *
 *   .build/spec/*.js ──▶ every exported schema with an $id ──▶ src/framework/spec/<$id>.json, openapi.json
 *
 * Every build writes them into the package, src/framework/spec.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";
import { writeFolder } from "./write-files.mjs";

const dialect = "https://json-schema.org/draft/2020-12/schema";
const files = new Map();

for (const file of readdirSync(join(root, ".build", "spec")).filter((name) => /^[a-z-]+\.js$/.test(name))) {
  const exported = await import(new URL(`../.build/spec/${file}`, import.meta.url).href);
  for (const schema of Object.values(exported))
    if (typeof schema?.$id === "string") files.set(`${schema.$id}.json`, { $schema: dialect, ...schema });
  if (exported.openapi) files.set("openapi.json", exported.openapi);
}
if (files.size < 2) throw new Error("no schema was found in .build/spec");

const texts = new Map([...files].map(([name, value]) => [name, `${JSON.stringify(value, null, 2)}\n`]));
writeFolder(join(root, "src", "framework", "spec"), texts);
