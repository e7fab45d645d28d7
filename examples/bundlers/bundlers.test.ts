/**
 * `framework` from CommonJS and in bundles: each entry of the package, as docs/runtimes-and-bundlers.md says.
 *
 *   package.json "exports" ──▶ require() in a process · esbuild as CommonJS · esbuild as ESM, run in an empty folder
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { exports } = JSON.parse(read("src/framework/package.json")) as { exports: Readonly<Record<string, unknown>> };

/** `framework`, `framework/session` …: every entry that is code. */
const entries = Object.keys(exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => name.replace(/^\./, "framework"));

const folder = mkdtempSync(join(tmpdir(), "bundlers-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a program prints: a file in an empty folder, or a text that is run beside the packages. As a reader runs it. */
function printed(args: readonly string[], cwd: string): string {
  const env = { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  return (stdout + stderr).trim();
}

/** An application that names every export of the entries. */
const program = (names: readonly string[]): string =>
  [
    `import { Framework } from "framework";`,
    ...names.map((name, at) => `import * as entry${at} from "${name}";`),
    `const entries = [${names.map((_, at) => `entry${at}`).join(", ")}];`,
    `const app = Framework.create();`,
    `app.get("/", () => entries.length + " entries");`,
    `app.request("/").then((response) => response.text()).then(console.log);`,
  ].join("\n");

async function bundle(names: readonly string[], file: string, options: BuildOptions): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents: program(names), resolveDir: join(root, "examples") },
    bundle: true,
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "silent",
    ...options,
  });
  writeFileSync(join(folder, file), outputFiles?.[0]?.contents ?? "");
}

/** Node can require() ES modules from 20.19 and 22.12 on. */
const isNodeTooOld =
  Reflect.get(process.features, "require_module") === true
    ? false
    : "skipped: this Node has no require() of ES modules";

describe("require() of an entry", { skip: isNodeTooOld }, () => {
  for (const entry of entries)
    test(`gives ${entry}, the same objects as import`, () => {
      const code = `const given = require("${entry}"); import("${entry}").then((all) => console.log(Object.keys(given).every((name) => given[name] === all[name])));`;
      assert.equal(printed(["-e", code], root), "true");
    });
});

describe("a bundle of esbuild", () => {
  test("as CommonJS runs without node_modules, with every entry", async () => {
    await bundle(entries, "app.cjs", { format: "cjs" });
    assert.equal(printed(["app.cjs"], folder), `${entries.length} entries`);
  });

  test("as ESM with a require() runs without node_modules, with every entry", async () => {
    const [js] = /import \{ createRequire \}.*;/.exec(read("docs/runtimes-and-bundlers.md")) ?? [];
    assert.ok(js !== undefined, "the guide has no banner");
    await bundle(entries, "app.mjs", { format: "esm", banner: { js } });
    assert.equal(printed(["app.mjs"], folder), `${entries.length} entries`);
  });
});
