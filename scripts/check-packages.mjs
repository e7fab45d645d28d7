/**
 * The shape of what would be published, for each package:
 *
 *   npm pack ──▶ only what users need, within its size ──▶ publint, strict ──▶ attw: the types that ESM consumers resolve
 *
 * The rule for files first shows that it can fail, on names that must not be published.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { execute, root } from "./process.mjs";
import { publishedFolder } from "./published.mjs";

/** Package folder → what its tarball may weigh, and what may be in it beside package.json, README and licence. */
const packages = {
  framework: { maxKb: 150, holds: /^(dist\/bundle\/.*\.js|dist\/.*\.d\.ts|spec\/\w+(\.schema)?\.json)$/ },
  devtools: { maxKb: 200, holds: /^dist\/.*\.(js|d\.ts)$/ },
  // Its tarballs of the other two are there after `make pack` only.
  "create-framework": { maxKb: 400, holds: /^(dist\/[\w-]+\.js|templates\/.*|packages\/[\w.-]+\.tgz)$/ },
};
const everywhere = /^(package\.json|README\.md|LICENSE)$/;
const never = /\.test\.|\.map$|tsbuildinfo|\.tsx$|\bnode_modules\b|fixtures|fake-page/;
const attw = join(
  dirname(fileURLToPath(import.meta.resolve("@arethetypeswrong/cli/package.json"))),
  "dist",
  "index.js",
);

const folder = mkdtempSync(join(tmpdir(), "packages-"));
let failed = 0;
try {
  const unwanted = [
    "dist/index.js",
    "dist/index.test.js",
    "dist/index.js.map",
    "dist/tsconfig.tsbuildinfo",
    "index.ts",
    "tsconfig.json",
  ];
  const missed = unwanted.filter((name) => fits(name, packages.framework.holds));
  if (missed.length > 0) throw new Error(`${missed.join(", ")} would be published: this check proves nothing`);
  for (const name of Object.keys(packages)) failed += (await check(name)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

function fits(name, holds) {
  return everywhere.test(name) || (holds.test(name) && (!never.test(name) || name.startsWith("templates/")));
}

async function check(name) {
  const path = publishedFolder(name);
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const entry = manifest.exports["."]?.default ?? Object.values(manifest.bin)[0];
  if (!existsSync(join(path, entry))) return said(name, ["is not built: run `make build`"]);
  const flags = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const [packed] = JSON.parse(execFileSync("npm", [...flags, path], { cwd: root, encoding: "utf8" }));
  const kb = packed.size / 1_000;
  process.stdout.write(`${manifest.name}: ${kb.toFixed(1)} kB packed, ${packed.files.length} files\n`);
  const findings = [...shape(name, manifest, packed, kb), ...(await lint(path))];
  if (manifest.exports["."] === undefined) return said(name, findings);
  const types = [attw, join(folder, packed.filename), "--profile", "esm-only"];
  if ((await execute("node", [...types, "--quiet"])) === 0) return said(name, findings);
  await execute("node", [...types, "--format", "ascii"]);
  return said(name, [...findings, "has types that attw finds wrong"]);
}

function shape(name, manifest, { files }, kb) {
  const { maxKb, holds } = packages[name];
  const paths = files.map(({ path }) => path);
  const unwanted = paths.filter((path) => !fits(path, holds));
  const lacking = ["README.md", "LICENSE"].filter((file) => !paths.includes(file));
  return [
    ...unwanted.map((path) => `holds ${path}, which nobody needs`),
    ...lacking.map((file) => `holds no ${file}`),
    ...(kb > maxKb ? [`weighs ${kb.toFixed(1)} kB packed, more than ${maxKb}`] : []),
    ...(manifest.type === "module" ? [] : ["is not an ES module"]),
    ...(manifest.bin !== undefined || manifest.sideEffects === false ? [] : ['does not say "sideEffects": false']),
    ...(manifest.dependencies === undefined ? [] : ["has runtime dependencies"]),
  ];
}

async function lint(path) {
  const { messages, pkg } = await publint({ pkgDir: path, strict: true });
  return messages.map((message) => formatMessage(message, pkg) ?? message.code);
}

function said(name, findings) {
  for (const sentence of findings) process.stdout.write(`src/${name} ${sentence}\n`);
  return findings.length === 0;
}
