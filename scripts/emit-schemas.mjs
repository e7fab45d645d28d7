/**
 * Writes the shapes of spec/ as JSON Schema files into the framework package: `framework/spec/*.json`.
 *
 *   .build/spec/*.js ──▶ every exported schema with an $id ──▶ src/framework/spec/<$id>.json
 *
 * The shapes of subject.ts are left out: they are the conformance suite's contract, of no use to an application.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./process.mjs";

const source = join(root, ".build", "spec");
const target = join(root, "src", "framework", "spec");
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

let written = 0;
const isChapter = (name) => name.endsWith(".js") && !name.endsWith(".test.js") && name !== "subject.js";
for (const file of readdirSync(source).filter(isChapter)) {
  const exported = await import(pathToFileURL(join(source, file)).href);
  for (const schema of Object.values(exported)) {
    if (typeof schema?.$id !== "string") continue;
    const dialect = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
    writeFileSync(join(target, `${schema.$id}.json`), `${JSON.stringify(dialect, null, 2)}\n`);
    written += 1;
  }
}
if (written === 0) throw new Error("no schema was found in .build/spec");
