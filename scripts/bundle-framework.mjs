/**
 * Bundles the compiled framework, so that an application loads a few files instead of fifty: a fifth of the time and
 * of the memory that loading the modules one by one takes.
 *
 *   every entry of `exports` ──▶ esbuild ──▶ dist/bundle/, one file each
 *   the first one for workers ─▶ esbuild ──▶ dist/bundle/worker.js, with absent.ts in the place of Node's engines
 *
 * What entries share is in each of them, since a file more to load is a millisecond more to start: only what has no
 * class to be recognised by, and no state.
 *
 * The bundle is what `exports` names by default. The repository's own tests run on the modules
 * (`--conditions=modules`), where a line that was not reached shows once. Class names stay as they are: an error's
 * name is its class's.
 */
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isProgram, root } from "./process.mjs";
import { writeFolder } from "./write-files.mjs";

const home = join(root, "src", "framework");

/**
 * The modules to bundle.
 *
 * @param {Record<string, string | { modules?: string, default?: string }>} exports as in package.json
 * @returns {string[]} such as `./dist/index.js`
 * @throws Error when an entry would be loaded beside the bundle, with classes of its own
 */
export function entriesOf(exports) {
  return Object.entries(exports).flatMap(([name, entry]) => {
    if (typeof entry === "string") return [];
    const { modules = "" } = entry;
    if (modules.startsWith("./dist/") && entry.default === modules.replace("./dist/", "./dist/bundle/"))
      return [modules];
    throw new Error(`exports[${JSON.stringify(name)}]: "modules" is ./dist/….js and "default" is ./dist/bundle/….js`);
  });
}

/** Classes whose name bundling changed, because two modules have one of that name. @param {string} text */
export function renamedClasses(text) {
  const names = [...text.matchAll(/\b(?:class (\w+) |(\w+) = class\b)/g)].map(
    ([, named, given]) => named ?? given ?? "",
  );
  return names.filter((name) => /\d$/.test(name) && names.includes(name.replace(/\d+$/, "")));
}

/**
 * The text of a file, in ASCII: one character beyond Latin 1, in a comment even, and V8 keeps all of it in two bytes
 * each. Only comments have any left: in code esbuild has escaped them the same way. @param {string} text
 */
export const inAscii = (text) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Modules that are the same wherever they are: constants and functions. */
const mayBeTwice =
  /\/dist\/(internal\/(accept-encoding|base64url|bytes|http-rules|in-time|listen-errors|lost-in-json|option-names|peer-events|peers|preconditions|redis|secrets|suggestion|thenable|usage-errors|watchers)|http\/(addresses|cookies|location)|contract\/(docs|json-schema)|metrics\/(labels|exposition|histogram|faults))\.js$/;

/** Modules in more than one output. @param {Record<string, { inputs: Record<string, unknown> }>} outputs esbuild's */
export function sharedModules(outputs) {
  const all = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(all.filter((name, at) => all.indexOf(name) !== at))];
}

/** For workers: Node's engines are sentences. @type {import("esbuild").Plugin} */
const withoutNode = {
  name: "without-node",
  setup(bundler) {
    bundler.onResolve({ filter: /\/engine\/node\.js$/ }, () => ({ path: join(home, "dist", "engine", "absent.js") }));
  },
};

async function main() {
  const outdir = join(home, "dist", "bundle");
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const shared = {
    outdir,
    outbase: join(home, "dist"),
    bundle: true,
    metafile: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    sourcemap: true,
    packages: "external",
    external: ["node:*"],
    logLevel: "warning",
    write: false,
  };
  const all = await build({ ...shared, entryPoints: entriesOf(exports).map((file) => join(home, file)) });
  const entry = { in: join(home, "dist", "index.js"), out: "worker" };
  const worker = await build({ ...shared, sourcemap: false, entryPoints: [entry], plugins: [withoutNode] });
  const { metafile } = all;
  const outputFiles = [...all.outputFiles, ...worker.outputFiles];
  const twice = sharedModules(metafile.outputs).filter((name) => !mayBeTwice.test(name));
  if (twice.length > 0) throw new Error(`in more than one entry's file: ${twice.join(", ")}`);
  const renamed = outputFiles.flatMap(({ path, text }) => (path.endsWith(".js") ? renamedClasses(text) : []));
  if (renamed.length > 0) throw new Error(`two classes share a name: ${renamed.join(", ")}`);
  const written = outputFiles.map(({ path, text }) => [
    relative(outdir, path),
    path.endsWith(".js") ? inAscii(text) : text,
  ]);
  writeFolder(outdir, new Map(written));
}

if (isProgram(import.meta)) await main();
