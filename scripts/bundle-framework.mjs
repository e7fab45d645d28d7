/**
 * Bundles the compiled framework, so that an application loads a few files instead of fifty. That takes a fifth of the time
 * and of the memory of loading the modules one by one.
 *
 *   dist/index.js, and all it imports ──▶ shared/framework.js ◀── index.js: its public names
 *   every other entry of `exports`    ──▶ <room>/index.js     ──▶ #framework: what it shares with index.js
 *                                                              └─▶ shared/chunk-….js: what rooms share besides
 *   websocket/optional-ws.ts          ──▶ #ws on Bun, Deno and workers
 *   dist/index.js for workers         ──▶ worker.js, with absent.ts instead of Node's engines
 *
 * Each module is in only one file, so a class is the same in every entry. `#framework` is shared/framework.js, and worker.js for
 * a bundler with the condition `worker`; `imports` in package.json defines it. The modules of index.js are one file and not one
 * for each set of entries that shares them, since each additional file costs a millisecond at startup.
 *
 * The bundle is the default of `exports`. The repository's own tests run on the modules (`--conditions=modules`), so that
 * coverage
 * counts each line once. Class names are kept, since an error's name is its class's.
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
 * @throws Error if an entry would be loaded next to the bundle, with its own classes
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

/** Classes that bundling renamed, because two modules have one of that name. @param {string} text */
export function renamedClasses(text) {
  const names = [...text.matchAll(/\b(?:class (\w+) |(\w+) = class\b)/g)].map(
    ([, named, given]) => named ?? given ?? "",
  );
  return names.filter((name) => /\d$/.test(name) && names.includes(name.replace(/\d+$/, "")));
}

/**
 * The text with the names of classes that refer to themselves, such as `var HttpError = class _HttpError`. The outer name is that
 * of the same class, and is never assigned again. @param {string} text
 */
export function withOwnNames(text) {
  const names = [...text.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return names.reduce((named, name) => named.replace(new RegExp(`\\b_${name}\\b`, "g"), name), text);
}

/**
 * The text of a file, in ASCII. With one character beyond Latin 1, even in a comment, V8 keeps the whole text in two bytes each.
 * Only comments still have any, since esbuild escapes code in the same way. @param {string} text
 */
export const inAscii = (text) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The names that a file imports from `#framework`. @param {string} text output of esbuild, a file of a room */
export function sharedNames(text) {
  const lists = [...text.matchAll(/^import \{([^}]*)\} from "#framework";$/gm)].flatMap(([, list]) => list.split(","));
  return [...new Set(lists.map((name) => name.trim().split(" as ")[0]))];
}

/**
 * Excludes the modules of index.js. They are imported from `#framework`.
 *
 * @param {ReadonlySet<string>} core the modules of index.js, absolute
 * @param {Set<string>} shared receives the imported ones
 * @returns {import("esbuild").Plugin}
 */
const withoutCore = (core, shared) => ({
  name: "without-core",
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path);
      if (!core.has(file)) return undefined;
      shared.add(file);
      return { path: "#framework", external: true, sideEffects: false };
    });
  },
});

/** For workers: replaces Node's engines by errors. @type {import("esbuild").Plugin} */
const withoutNode = {
  name: "without-node",
  setup(bundler) {
    bundler.onResolve({ filter: /\/engine\/node\.js$/ }, () => ({ path: join(home, "dist", "engine", "absent.js") }));
  },
};

const outdir = join(home, "dist", "bundle");
const options = {
  bundle: true,
  metafile: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  sourcemap: true,
  packages: "external",
  external: ["node:*", "#ws"],
  logLevel: "warning",
  write: false,
};

/**
 * The rooms, and the modules of index.js that they import. @param {readonly string[]} files absolute @param {ReadonlySet<string>}
 * core
 */
async function bundleRooms(files, core) {
  const shared = new Set();
  const { outputFiles } = await build({
    ...options,
    entryPoints: files,
    outdir,
    outbase: join(home, "dist"),
    splitting: true,
    chunkNames: "shared/[name]-[hash]",
    plugins: [withoutCore(core, shared)],
  });
  return { files: outputFiles, shared: [...shared].toSorted((a, b) => (a < b ? -1 : 1)) };
}

/** One file with the exports of index.js and of those modules. @throws Error if it lacks one of `names`: two modules export it */
async function bundleCore(name, index, shared, names, more = {}) {
  const contents = [index, ...shared].map((file) => `export * from ${JSON.stringify(file)};`).join("\n");
  const stdin = { contents, resolveDir: home, sourcefile: `${name}.js` };
  const { outputFiles, metafile } = await build({ ...options, stdin, outfile: join(outdir, `${name}.js`), ...more });
  const exported = Object.values(metafile.outputs).flatMap((output) => output.exports);
  const missing = names.filter((one) => !exported.includes(one));
  if (missing.length > 0) throw new Error(`${name}.js: two modules export ${missing.join(", ")}, which rooms import`);
  return outputFiles;
}

async function main() {
  const { exports, imports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const ofHosts = Object.values(imports["#ws"]).filter((file) => file.startsWith("./dist/bundle/"));
  const modules = [...entriesOf(exports), ...new Set(ofHosts.map((file) => file.replace("dist/bundle/", "dist/")))];
  const [index, ...others] = modules.map((file) => join(home, file));
  const alone = await build({ ...options, entryPoints: [index], outdir, absWorkingDir: home });
  const core = new Set(Object.keys(alone.metafile.inputs).map((file) => join(home, file)));
  const names = Object.values(alone.metafile.outputs).flatMap((output) => output.exports);
  const rooms = await bundleRooms(others, core);
  const needed = rooms.files.flatMap(({ text }) => sharedNames(text));
  const files = [
    ...rooms.files,
    ...(await bundleCore("shared/framework", index, rooms.shared, needed)),
    ...(await bundleCore("worker", index, rooms.shared, needed, { sourcemap: false, plugins: [withoutNode] })),
  ];
  const renamed = files.flatMap(({ path, text }) => (path.endsWith(".js") ? renamedClasses(text) : []));
  if (renamed.length > 0) throw new Error(`two classes share a name: ${renamed.join(", ")}`);
  const written = files.map(({ path, text }) => [
    relative(outdir, path),
    path.endsWith(".js") ? inAscii(withOwnNames(text)) : text,
  ]);
  const entry = `export { ${names.join(", ")} } from "./shared/framework.js";\n`;
  writeFolder(outdir, new Map([...written, ["index.js", entry]]));
}

if (isProgram(import.meta)) await main();
