/**
 * Proves that the source rules can fail: oxlint, with the configuration of `make check`, on a small tree of bad files.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

// This compiled file is two folders below the root.
const root = fileURLToPath(new URL("../../", import.meta.url));
const header = "/** What it is for. */\n\n";
const table = "house(import-table)";
const documented = "house(documented)";
const lines = (count: number): string => "fetch();\n".repeat(count);
const imports = (count: number): string =>
  Array.from({ length: count }, (_, at) => `import { f${at} } from "./module-${at}.ts";\nf${at}();\n`).join("");

/** The description, the file, its text, and the rules that report something. */
const cases: readonly (readonly [what: string, path: string, text: string, rules: readonly string[]])[] = [
  ["devtools from the framework", "src/framework/http/a.ts", `import "../../devtools/index.ts";`, [table]],
  ["the devtools package from it", "src/framework/http/b.ts", `import "@framework/devtools";`, [table]],
  ["the devtools package from its tests", "src/framework/http/c.test.ts", `import "@framework/devtools";`, [table]],
  ["a Node module from it", "src/framework/middleware/a.ts", `import "node:fs";`, [table]],
  ["a runtime dependency from it", "src/framework/http/body.ts", `import "ajv";`, [table]],
  [
    "a value of the context",
    "src/framework/middleware/b.ts",
    `export { type X, y } from "../http/context.ts";`,
    [table],
  ],
  ["a type of the context", "src/framework/middleware/c.ts", `export { type X } from "../http/context.ts";`, []],
  [
    "the type of the spec from src",
    "src/framework/http/sse.ts",
    `export type { X } from "../../../spec/a.ts";`,
    [table],
  ],
  [
    "an inline type",
    "src/framework/http/d.ts",
    `fetch<import("../../../spec/a.ts").X>();`,
    ["typescript(consistent-type-imports)"],
  ],
  ["what is loaded later", "src/framework/http/e.ts", `await import("../../../spec/a.ts");`, [table]],
  ["all that is passed on", "src/framework/http/f.ts", `export * from "../../../spec/a.ts";`, [table]],
  ["an engine from the dispatcher", "src/framework/dispatch/a.ts", `import "../engine/lines.ts";`, [table]],
  [
    "the dispatcher from the response",
    "src/framework/http/p.ts",
    `export type { X } from "../dispatch/a.ts";`,
    [table],
  ],
  ["a file beside the rooms", "src/framework/q.ts", "fetch();", [table]],
  ["the server from the dashboard", "src/devtools/dashboard/store/a.ts", `import "../../serve/a.ts";`, [table]],
  ["a higher room", "src/devtools/dashboard/runs/a.ts", `import "../request/a.ts";`, [table]],
  ["a lower room", "src/devtools/dashboard/runs/b.ts", `import "../store/a.ts"; import "preact";`, []],
  ["a room beside it", "src/devtools/dashboard/graph/a.tsx", `import "../timeline/a.ts";`, [table]],
  ["a module of Node's on the page", "src/devtools/dashboard/json/a.ts", `import "node:fs";`, [table]],
  ["a panel that stands on the lower rooms", "src/devtools/dashboard/new/a.ts", `import "../store/a.ts";`, []],
  ["a panel beside it", "src/devtools/dashboard/new/b.ts", `import "../timeline/a.ts";`, [table]],
  ["the framework's inside from devtools", "src/devtools/serve/b.ts", `import "../../framework/http/a.ts";`, [table]],
  ["our code from the scaffolder", "src/create-framework/a.ts", `import "framework";`, [table]],
  ["src from the spec", "spec/b.ts", `import "../src/framework/index.ts";`, [table]],
  ["the sources in place of the package", "bench/a.ts", `import "../src/framework/index.ts";`, [table]],
  ["a folder without a row", "src/new-package/a.ts", "fetch();", [table]],
  [
    "undocumented exports, once each",
    "src/framework/http/g.ts",
    `export const a = 1;\nexport function b(): void {}\nconst C = 1;\nexport { C };\nexport type D = 1;\n`,
    [documented, documented, documented, documented],
  ],
  ["comments that are no doc comments", "src/framework/http/h.ts", `/** Far. */\n\nexport const a = 1;`, [documented]],
  [
    "a name that is a type and a value",
    "src/framework/http/i.ts",
    "/** A. */\nexport type A = 1;\nexport const A = 1;",
    [],
  ],
  ["a cycle of types", "src/framework/http/j.ts", `export type { K } from "./k.ts";`, ["import(no-cycle)"]],
  ["its other half", "src/framework/http/k.ts", `export type { J } from "./j.ts";`, ["import(no-cycle)"]],
  ["a file that imports 25 modules", "src/framework/http/l.ts", imports(25), ["import(max-dependencies)"]],
  ["one that imports 24", "src/framework/http/r.ts", imports(24), []],
  [
    "a function of 61 lines",
    "src/framework/http/m.ts",
    `fetch(() => {\n${lines(59)}});`,
    ["eslint(max-lines-per-function)"],
  ],
  ["one of 60", "src/framework/http/n.ts", `fetch(() => {\n${lines(58)}});`, []],
  ["a view of 90", "src/devtools/dashboard/json/a.tsx", `fetch(() => {\n${lines(88)}});`, []],
  [
    "a view of 91",
    "src/devtools/dashboard/json/b.tsx",
    `fetch(() => {\n${lines(89)}});`,
    ["eslint(max-lines-per-function)"],
  ],
  ["a long test", "src/framework/http/o.test.ts", `fetch(() => {\n${lines(450)}});`, []],
  ["any", "spec/c.ts", "fetch<Map<string, any[]>>();", ["typescript(no-explicit-any)"]],
  ["the non-null !", "spec/d.ts", "g!.y();", ["typescript(no-non-null-assertion)"]],
  ["@ts-ignore", "spec/e.ts", "// @ts-ignore\ng();", ["typescript(ban-ts-comment)"]],
  ["@ts-nocheck", "spec/f.ts", "// @ts-nocheck\ng();", ["typescript(ban-ts-comment)"]],
  ["a default export", "spec/g.ts", "export default 1;", ["import(no-default-export)"]],
  ["a global of Node's in app.fetch", "src/framework/engine/fetch/a.ts", "fetch(Buffer);", ["eslint(no-undef)"]],
  ["a global of Node's on the way to it", "src/framework/http/q.ts", "setImmediate(fetch);", ["eslint(no-undef)"]],
  ["a global of one runtime's in app.fetch", "src/framework/engine/fetch/b.ts", "fetch(Deno);", ["eslint(no-undef)"]],
  [
    "what every runtime has",
    "src/framework/engine/fetch/c.ts",
    "fetch(structuredClone(new URL(navigator.userAgent)));",
    [],
  ],
  ["a global of Node's in an engine of Node's", "src/framework/engine/node-http/a.ts", "fetch(Buffer);", []],
];

describe("the rules for sources", () => {
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  const found = new Map<string, string[]>();
  after(() => rmSync(folder, { recursive: true }));

  before(() => {
    for (const name of [
      ".oxlintrc.json",
      "scripts/lint-plugin.mjs",
      "scripts/import-table.mjs",
      "scripts/plain-words.mjs",
    ])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    for (const [, path, text] of cases) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${header}${text}\n`);
    }
    writeFileSync(join(folder, "src", "framework", "http", "z.ts"), "fetch();\n");
    const oxlint = join(root, "node_modules", ".bin", "oxlint");
    const { stdout } = spawnSync(oxlint, ["--format=json"], { cwd: folder, encoding: "utf8" });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    for (const { code, filename } of diagnostics) {
      const path = relative(folder, join(folder, filename));
      found.set(path, [...(found.get(path) ?? []), code]);
    }
  });

  for (const [what, path, , rules] of cases)
    it(`${rules.length > 0 ? "reject" : "accept"} ${what}`, () => assert.deepEqual(found.get(path) ?? [], rules));

  it("reject a file without a header comment", () => {
    assert.deepEqual(found.get("src/framework/http/z.ts"), [documented]);
  });
});
