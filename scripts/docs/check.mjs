/**
 * Checks the documentation: every code block does what its marks (docs/blocks.mjs) promise, and every link has a target.
 *
 *   pages ──▶ blocks ──▶ tsc, all at once ──▶ page by page: run, ask, parse ──▶ sentences
 *
 * scripts/docs.test.ts applies it to the documentation (`make docs-test`), and proves that it can fail.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseYaml } from "yaml";
import { root } from "../process.mjs";
import { blocksOf, commandsOf, malformed } from "./blocks.mjs";
import { runBlock, runCommands, startExample } from "./run.mjs";
import { typeCheck } from "./types.mjs";

/** @typedef {import("./blocks.mjs").Block} Block */

const read = (name) => readFileSync(join(root, name), "utf8");
const verbs = new Set([...read("Makefile").matchAll(/^([a-z0-9-]+):/gm)].map(([, verb]) => verb));
const { scripts } = JSON.parse(read("package.json"));

/** The documentation's pages with their texts. @returns {Map<string, string>} */
export function pages() {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => join(folder, name))
      .filter((name) => !name.includes("node_modules"));
  const names = ["README.md", "bench/README.md", ...["docs", "examples"].flatMap(below)];
  return new Map(names.filter((name) => name.endsWith(".md")).map((name) => [name, read(name)]));
}

/**
 * Checks every block of the pages.
 *
 * @param {Map<string, string>} texts page → Markdown
 * @returns {Promise<{ checked: number, failures: string[] }>}
 */
export async function checkPages(texts) {
  const failures = [...texts].flatMap(([page, text]) => deadLinks(page, text));
  const blocks = [...texts].flatMap(([page, text]) => blocksOf(page, text));
  if (blocks.length === 0) failures.push("no code block was found");
  const usable = blocks.filter((block) => {
    const reason = malformed(block);
    if (reason !== undefined) failures.push(`${at(block)} ${reason}`);
    return reason === undefined && !("skip" in block.marks) && block.language !== "text";
  });
  const types = typeCheck(usable.filter(({ language }) => /^[tj]s$/.test(language)));
  const examples = new Map();
  const example = async (name) => {
    if (!examples.has(name)) examples.set(name, await startExample(name));
    return examples.get(name);
  };
  try {
    for (const page of texts.keys()) {
      const own = usable.filter((block) => block.page === page);
      failures.push(...(await checkPage(own, types, example)));
    }
  } finally {
    await Promise.all([...examples.values()].map((started) => started.finish()));
  }
  return { checked: usable.length, failures };
}

/** The blocks of one page, in order, since a shell block with `on=above` needs the program that the block above it started. */
async function checkPage(blocks, types, example) {
  const failures = [];
  const say = (block, sentences) => failures.push(...sentences.map((sentence) => `${at(block)} ${sentence}`));
  let above;
  const finish = async () => {
    if (above !== undefined) say(above.block, await above.started.finish());
    above = undefined;
  };
  for (const block of blocks) {
    const { language, marks } = block;
    const wrong = types.get(block) ?? [];
    say(block, wrong);
    if (types.has(block) && "run" in marks) {
      await finish();
      if (wrong.length === 0) above = { block, started: await runBlock(block) };
    } else if (language !== "sh") say(block, unparsed(block));
    else if (marks.on === undefined) say(block, "run" in marks ? await runCommands(block) : lost(block));
    else {
      const { port } = marks.on === "above" ? (above?.started ?? {}) : await example(marks.on);
      say(block, port ? await runCommands(block, port) : ["on=above, but the block above started no server"]);
    }
  }
  await finish();
  return failures;
}

/** The files and verbs in a block's commands that do not exist, except the reader's own files. @param {Block} block */
function lost({ code }) {
  if (commandsOf(code).length === 0) return ["holds no command"];
  const named = [...code.matchAll(/\b(make|npm run|node) ([\w./-]+)/g)];
  return named.flatMap(([, program, name]) => {
    if (program === "make") return verbs.has(name) ? [] : [`no make verb ${name}`];
    if (program === "npm run") return name in scripts ? [] : [`no npm script ${name}`];
    return /^(\.build|scripts|src|examples)\//.test(name) && !existsSync(join(root, name)) ? [`no file ${name}`] : [];
  });
}

/** @param {Block} block */
function unparsed({ language, code }) {
  try {
    if (language === "json") JSON.parse(code);
    if (language === "yaml") parseYaml(code, { strict: true });
    return [];
  } catch (error) {
    return [`is no ${language}: ${error.message}`];
  }
}

/** Relative links to missing files or headings. @param {string} page @param {string} text */
function deadLinks(page, text) {
  const prose = text.replace(/^( *)(`{3,})[\s\S]*?^\1\2\s*$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].flatMap(([, target, heading]) => {
    const path = target === "" ? page : join(dirname(page), target);
    if (target !== "" && !existsSync(join(root, path))) return [`${page}: a link to ${target}, which is not there`];
    if (heading === undefined || anchorsOf(target === "" ? text : read(path)).has(heading)) return [];
    return [`${page}: a link to #${heading} of ${path}, which has no such heading`];
  });
}

/** The link targets of a page: its headings as anchors, and its ids. @param {string} text */
function anchorsOf(text) {
  const words = (title) => title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => words(title).trim().replaceAll(" ", "-"));
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)]);
}

/** @param {Block} block */
const at = ({ page, line, language }) => `${page}:${line} (${language})`;
