/**
 * Type-checks and compiles all `ts` blocks of the documentation in one run. `js` blocks are only parsed, since the types of
 * their libraries are not installed here.
 *
 *   docs/a.md ──▶ .build/docs/docs-a/L12.ts ──tsc──▶ .build/docs/out/docs-a/L12.js
 *
 * A block keeps the line numbers of its page, so a compiler error points into the page.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../process.mjs";

const folder = join(root, ".build", "docs");

/** @typedef {import("./blocks.mjs").Block} Block */

/** @param {Block} block */
const nameOf = ({ page, line, language, marks }) =>
  join(page.replace(/\.md$/, "").replaceAll("/", "-"), marks.file ?? `L${line}.${language}`);

/** The compiled file of a block. @param {Block} block */
export const compiled = (block) => join(folder, "out", nameOf(block).replace(/\.ts$/, ".js"));

/**
 * @param {readonly Block[]} blocks those to compile
 * @returns {Map<Block, string[]>} the compiler's sentences for each block. None means it compiles
 */
export function typeCheck(blocks) {
  if (blocks.length === 0) return new Map();
  rmSync(folder, { recursive: true, force: true });
  for (const block of blocks) {
    mkdirSync(dirname(join(folder, nameOf(block))), { recursive: true });
    writeFileSync(join(folder, nameOf(block)), sourceOf(block));
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_V8_COVERAGE: "" } };
  const { stdout, status } = spawnSync(tsc, ["-p", folder, "--pretty", "false"], options);
  const found = new Map(blocks.map((block) => [block, sentences(nameOf(block), stdout)]));
  if (status !== 0 && [...found.values()].every((list) => list.length === 0))
    throw new Error(`tsc failed (exit ${status}) without an error in any block:\n${stdout}`);
  return found;
}

const config = {
  extends: join(root, "tsconfig.base.json"),
  compilerOptions: {
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"],
    isolatedDeclarations: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
    composite: false,
    allowJs: true,
    rootDir: ".",
    outDir: "out",
  },
  files: [join(root, "src", "framework", "engine", "hosted", "host-frameworks.d.ts")], // Express and Connect have no types.
  include: ["**/*.ts", "**/*.js"],
  exclude: ["out"],
};

/** @param {Block} block */
function sourceOf({ code, line, setup }) {
  const lines = Array(line - 1).fill("");
  for (const [i, text] of (setup?.code.split("\n") ?? []).entries()) lines[setup.line - 1 + i] = text;
  return `${[...lines, code].join("\n")}\nexport {};\n`;
}

/** @param {string} name @param {string} output */
function sentences(name, output) {
  return output.split("\n").flatMap((text) => {
    const [, file, line, said] = /^(.+?)\((\d+),\d+\): (.*)$/.exec(text) ?? [];
    return file?.endsWith(name) ? [`line ${line}: ${said}`] : [];
  });
}
