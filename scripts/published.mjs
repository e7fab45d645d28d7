/**
 * The published form of a package: a copy of its folder, with source maps that contain their sources.
 *
 *   src/framework ──▶ .build/published/framework: dist/bundle/, declarations, spec/ · `exports` without `modules`
 *   src/devtools  ──▶ .build/published/devtools:  dist/
 *   conformance   ──▶ .build/published/conformance: dist/main.js, data/, spec/ (conformance/publish.ts)
 *
 * The framework's modules are only for the repository's own tests (scripts/bundle-framework.mjs); published, they would duplicate
 * the code. A stack through a package names the repository's file (`src/framework/app/framework.ts`) and its function, since the
 * maps have these paths and the text. All code that handles tarballs gets its folder here.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { root } from "./process.mjs";

/**
 * The folder to pack, absolute.
 *
 * @param {string} name the package's folder below src/, or conformance
 * @param {string} parent of the copy: a caller that packs at the same time as `make pack` passes its own
 * @returns {string}
 */
export function publishedFolder(name, parent = join(root, ".build", "published")) {
  const source = join(root, "src", name);
  if (name === "create-framework") return source;
  const target = join(parent, name);
  if (name === "conformance") {
    execFileSync(process.execPath, [join(root, ".build", "conformance", "publish.js"), target], { stdio: "inherit" });
    return target;
  }
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const part of ["dist", "spec", "README.md", "LICENSE"])
    if (existsSync(join(source, part))) cpSync(join(source, part), join(target, part), { recursive: true });
  const published = name === "framework" ? publishedManifest(manifest) : manifest;
  writeFileSync(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  for (const file of readdirSync(join(target, "dist"), { recursive: true }).filter((one) => one.endsWith(".js.map")))
    carrySources(source, target, join("dist", file));
  return target;
}

/** The manifest without the modules. @param {{ files: string[], exports: object }} manifest as in the repository */
export function publishedManifest(manifest) {
  const files = manifest.files.flatMap((file) => (file === "dist" ? ["dist/bundle", "dist/**/*.d.ts"] : [file]));
  const exports = JSON.stringify(manifest.exports, (key, value) => (key === "modules" ? undefined : value));
  return { ...manifest, files, exports: JSON.parse(exports) };
}

/** Adds the sources to a map, with their paths in the repository. @param {string} map from the package's folder */
function carrySources(source, target, map) {
  const content = JSON.parse(readFileSync(join(target, map), "utf8"));
  const files = content.sources.map((path) => resolve(source, dirname(map), path));
  const sources = files.map((file) => relative(dirname(map), relative(root, file)).split(sep).join("/"));
  const gone = files.find((file) => !existsSync(file));
  if (gone !== undefined)
    throw new Error(
      `${relative(root, gone)} is gone and its output is not: remove ${relative(root, join(source, "dist"))} and build`,
    );
  const sourcesContent = files.map((file) => readFileSync(file, "utf8"));
  writeFileSync(join(target, map), JSON.stringify({ ...content, sourceRoot: "", sources, sourcesContent }));
}
