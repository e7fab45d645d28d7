/**
 * What is published of a package: its folder, or for the framework a copy without the modules that are in its bundle.
 *
 *   src/framework ──▶ .build/published/framework: dist/bundle/, declarations, spec/ · `exports` without `modules`
 *
 * The modules are for the repository's own tests (scripts/bundle-framework.mjs); published, they would be the same code
 * twice. Every path through the tarballs takes its folder from here.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";

/** The folder to pack, absolute. @param {string} name the package's folder below src/ @returns {string} */
export function publishedFolder(name) {
  const source = join(root, "src", name);
  if (name !== "framework") return source;
  const manifest = publishedManifest(JSON.parse(readFileSync(join(source, "package.json"), "utf8")));
  const target = join(root, ".build", "published", name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const part of ["dist", "spec", "README.md", "LICENSE"])
    cpSync(join(source, part), join(target, part), { recursive: true });
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return target;
}

/** The manifest without the modules. @param {{ files: string[], exports: object }} manifest as in the repository */
export function publishedManifest(manifest) {
  const files = manifest.files.flatMap((file) => (file === "dist" ? ["dist/bundle", "dist/**/*.d.ts"] : [file]));
  const exports = JSON.stringify(manifest.exports, (key, value) => (key === "modules" ? undefined : value));
  return { ...manifest, files, exports: JSON.parse(exports) };
}
