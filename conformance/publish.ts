/**
 * Makes the package of the conformance suite: one program without dependencies, the suite's contents as data, and the
 * specification as text.
 *
 *   .build/conformance/program.js ──▶ esbuild ──▶ .build/published/conformance/dist/main.js
 *   requirements, vectors, corpus, shapes ──────▶ data/clauses.json, vectors.json, query-cache.json, corpus.json, schemas/, run.py
 *   spec/*.md ──────────────────────────────────▶ spec/, which the program quotes
 *
 * Its one argument is another output folder.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { readCorpus } from "./corpus/corpus.ts";
import { clausesDocument } from "./kit/export.ts";
import { commitOf } from "./kit/suite.ts";
import { root } from "../test/environment.ts";
import { vectorsDocument } from "./vectors/index.ts";

const target = process.argv[2] ?? join(root, ".build", "published", "conformance");

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

const write = (name: string, value: unknown): void =>
  writeFileSync(join(target, name), `${JSON.stringify(value, null, 1)}\n`);
write("data/clauses.json", clausesDocument());
write("data/vectors.json", vectorsDocument());
// Two thousand documents, one per line. Indentation would add half of the size.
const documents = readCorpus().map((document) => JSON.stringify(document));
writeFileSync(join(target, "data", "corpus.json"), `{"format":1,"documents":[\n${documents.join(",\n")}\n]}\n`);
const copy = (from: string, to: string): void => cpSync(join(root, from), join(target, to), { recursive: true });
copy("src/framework/spec", "data/schemas");
copy("conformance/vectors/run.py", "data/run.py");
copy("conformance/vectors/query-cache.json", "data/query-cache.json");
for (const name of readdirSync(join(root, "spec")).filter((file) => file.endsWith(".md")))
  copy(`spec/${name}`, `spec/${name}`);
// If git is available, the package names the commit, like packages that npm publishes. Its reports quote it.
const manifest = JSON.parse(readFileSync(join(root, "conformance", "package.json"), "utf8")) as object;
write("package.json", { ...manifest, gitHead: commitOf(root) ?? undefined });
copy("conformance/PACKAGE.md", "README.md");
copy("LICENSE", "LICENSE");
