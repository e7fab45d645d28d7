/**
 * The published types, as their users' compilers see them: the packages are packed and unpacked into an empty
 * folder, and scripts/types/consumer.mts is compiled there without skipLibCheck.
 *
 *   TypeScript 7 (ours), 6 and 5.9 (scripts/types, a lock of its own) × module resolution nodenext and bundler,
 *   and scripts/types/worker.mts with the web's types in place of Node's
 *
 * Each compiler also shows that it can fail: the same file with a misspelt import must not compile.
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root, run } from "./process.mjs";
import { publishedFolder } from "./published.mjs";

const types = join(root, "scripts", "types");
const compilers = {
  7: join(root, "node_modules", "typescript", "bin", "tsc"),
  6: join(types, "node_modules", "typescript-6", "bin", "tsc"),
  5: join(types, "node_modules", "typescript-5", "bin", "tsc"),
};
const resolutions = { nodenext: "nodenext", bundler: "esnext" };
const node = { lib: "es2023", types: "node" };
const web = { lib: "es2023,dom,dom.iterable,dom.asynciterable,esnext.disposable", typeRoots: "./nowhere" };
const peers = ["@opentelemetry/api", "prom-client", "tdigest", "bintrees", "@types/node", "undici-types"];

const folder = mkdtempSync(join(tmpdir(), "types-"));
try {
  await installCompilers();
  await prepare();
  process.exitCode = (await checked()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** As locked; again only when the lock is newer than what is installed. */
async function installCompilers() {
  const versions = JSON.parse(readFileSync(join(types, "package.json"), "utf8")).dependencies;
  const there = Object.entries(versions).every(([name, wanted]) => {
    const file = join(types, "node_modules", name, "package.json");
    return existsSync(file) && wanted === `npm:typescript@${JSON.parse(readFileSync(file, "utf8")).version}`;
  });
  const flags = ["--ignore-scripts", "--no-bin-links", "--no-audit", "--no-fund", "--loglevel=error"];
  if (!there) await run("npm", ["ci", "--prefix", types, ...flags]);
}

/** The packages as they would be installed, and the consumer beside them. */
async function prepare() {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@framework"), { recursive: true });
  for (const [name, target] of [
    ["framework", "framework"],
    ["devtools", "@framework/devtools"],
  ]) {
    await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder, publishedFolder(name)]);
    const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"));
    await run("tar", ["-xzf", join(folder, tarball), "-C", folder]);
    cpSync(join(folder, "package"), join(modules, target), { recursive: true });
    for (const left of [tarball, "package"]) rmSync(join(folder, left), { recursive: true });
  }
  for (const name of peers) {
    const link = join(modules, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  const consumer = readFileSync(join(types, "consumer.mts"), "utf8");
  writeFileSync(join(folder, "consumer.mts"), consumer);
  writeFileSync(join(folder, "misspelt.mts"), consumer.replace("type RouteInfo,", "type RouteInfos as RouteInfo,"));
  cpSync(join(types, "worker.mts"), join(folder, "worker.mts"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
}

/** Every compiler on its own: two at a time keep two cores busy. */
async function checked() {
  const runs = Object.entries(compilers).map(
    ([version, compiler]) =>
      () =>
        checkedBy(version, compiler),
  );
  const verdicts = [];
  const worker = async () => {
    for (let next = runs.pop(); next !== undefined; next = runs.pop()) verdicts.push(await next());
  };
  await Promise.all([worker(), worker()]);
  return verdicts.length === Object.keys(compilers).length && verdicts.every(Boolean);
}

async function checkedBy(version, compiler) {
  const name = (await output(compiler, ["--version"])).stdout.trim();
  if (!name.startsWith(`Version ${version}.`)) throw new Error(`expected TypeScript ${version}, found ${name}`);
  const bad = await compile(compiler, "nodenext", "misspelt.mts", { ...node, skipLibCheck: true });
  const proven = bad.code !== 0 && bad.stdout.includes("RouteInfos");
  if (!proven) process.stdout.write(`a misspelt import compiled: this check proves nothing\n${bad.stdout}`);
  let sound = proven;
  const cases = [
    ...Object.keys(resolutions).map((resolution) => ({ resolution, file: "consumer.mts", settings: node })),
    { resolution: "bundler", file: "worker.mts", settings: web },
  ];
  for (const { resolution, file, settings } of cases) {
    const { code, stdout } = await compile(compiler, resolution, file, settings);
    process.stdout.write(
      `TypeScript ${name.slice(8)}, ${resolution}, ${file}: ${code === 0 ? "ok" : `failed\n${stdout}`}\n`,
    );
    sound &&= code === 0;
  }
  return sound;
}

function compile(compiler, moduleResolution, file, settings) {
  const options = {
    target: "es2022",
    module: resolutions[moduleResolution],
    moduleResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    skipLibCheck: false,
    noEmit: true,
    pretty: false,
    ...settings,
  };
  return output(compiler, [...Object.entries(options).flatMap(([key, value]) => [`--${key}`, String(value)]), file]);
}

function output(compiler, args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, ...args], { cwd: folder }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}
