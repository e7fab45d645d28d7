/**
 * Makes the package of the conformance suite: one program that needs no other package, what the suite says as data, and the
 * specification in words.
 *
 *   .build/conformance/program.js ──▶ esbuild ──▶ .build/published/conformance/dist/main.js
 *   requirements, vectors, spec/json ───────────▶ data/clauses.json, vectors.json, schemas/
 *   spec/*.md ──────────────────────────────────▶ spec/, which the program quotes
 *
 * Everything is made from what is compiled, by published.mjs in a process of its own: it imports what it describes.
 */
import { build } from "esbuild";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";

const home = join(root, "conformance");
const target = join(root, ".build", "published", "conformance");
const compiled = (name) => new URL(`../.build/conformance/${name}`, import.meta.url).href;

rmSync(target, { recursive: true, force: true });
for (const folder of ["dist", "data/schemas", "spec"]) mkdirSync(join(target, folder), { recursive: true });

await build({
  entryPoints: [join(root, ".build", "conformance", "program.js")],
  outfile: join(target, "dist", "main.js"),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Ajv is written for `require`.
  banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);' },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "inline",
  logLevel: "warning",
});

const { clausesDocument } = await import(compiled("kit/export.js"));
const { vectorsDocument } = await import(compiled("vectors/index.js"));
const write = (name, value) => writeFileSync(join(target, "data", name), `${JSON.stringify(value, null, 1)}\n`);
write("clauses.json", clausesDocument());
write("vectors.json", vectorsDocument());
for (const name of readdirSync(join(root, "src", "framework", "spec")))
  cpSync(join(root, "src", "framework", "spec", name), join(target, "data", "schemas", name));
for (const name of readdirSync(join(root, "spec")).filter((file) => file.endsWith(".md")))
  cpSync(join(root, "spec", name), join(target, "spec", name));
cpSync(join(home, "package.json"), join(target, "package.json"));
cpSync(join(home, "PACKAGE.md"), join(target, "README.md"));
cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
