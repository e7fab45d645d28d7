/**
 * `make docs-test`: every code block of the README, of docs/, of the bench and of the examples' READMEs does what it says.
 *
 *   Markdown ──▶ blocks ──▶ ts: compiled, run · sh: looked up, run · json, yaml: parsed ──▶ .build/reports/docs-test.json
 *
 *   node scripts/docs-test.mjs              all pages
 *   node scripts/docs-test.mjs docs/query   pages whose path holds that text
 *
 * The marks of a block are described in scripts/docs/blocks.mjs. No block found, a block that nobody checks and that
 * gives no reason, and a relative link to nothing are failures.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parse as parseYaml } from "yaml";
import { blocksOf, malformed } from "./docs/blocks.mjs";
import { unknownCommands } from "./docs/commands.mjs";
import { runBlock, runCommands, startExample } from "./docs/run.mjs";
import { typeCheck } from "./docs/types.mjs";
import { isProgram, root } from "./process.mjs";

/** @typedef {import("./docs/blocks.mjs").Block} Block */
/** @typedef {{ at: string, reason: string }} Excuse */
/** @typedef {{ checked: number, notRun: Excuse[], notChecked: Excuse[], failures: string[] }} Report */

/** The documentation's pages, relative to the root. @returns {string[]} */
export function pages() {
  const below = (folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name));
  return ["README.md", "bench/README.md", ...below("docs"), ...below("examples")].toSorted((a, b) =>
    a.localeCompare(b),
  );
}

/**
 * Checks every block of `pages`.
 *
 * @param {Map<string, string>} texts page → Markdown
 * @returns {Promise<Report>}
 */
export async function checkPages(texts) {
  const blocks = [...texts].flatMap(([page, text]) => blocksOf(page, text));
  if (blocks.length === 0) return { checked: 0, notRun: [], notChecked: [], failures: ["no code block was found"] };
  const failures = [...texts].flatMap(([page, text]) => deadLinks(page, text));
  const report = { checked: 0, notRun: [], notChecked: [], failures };
  const usable = blocks.filter((block) => {
    const reason = malformed(block);
    if (reason !== undefined) report.failures.push(`${at(block)} ${reason}`);
    else if ("skip" in block.marks) report.notChecked.push({ at: at(block), reason: block.marks.skip });
    else if ("only" in block.marks) report.notRun.push({ at: at(block), reason: block.marks.only });
    return reason === undefined && !("skip" in block.marks) && block.language !== "text";
  });
  report.checked = usable.length;
  const types = typeCheck(usable.filter(({ language }) => isProgramText(language)));
  const examples = new Examples();
  try {
    for (const page of texts.keys()) {
      const blocksOfPage = usable.filter((block) => block.page === page);
      report.failures.push(...(await checkPage(blocksOfPage, types, examples)));
    }
  } finally {
    await examples.finish();
  }
  return report;
}

/**
 * The blocks of one page, in order: a shell block that says `on=above` needs what the block above it started.
 *
 * @param {readonly Block[]} blocks
 * @param {Map<Block, string[]>} types
 * @param {Examples} examples
 */
async function checkPage(blocks, types, examples) {
  const failures = [];
  let above;
  const finish = async () => {
    if (above === undefined) return;
    for (const failure of await above.started.finish()) failures.push(`${at(above.block)} ${failure}`);
    above = undefined;
  };
  for (const block of blocks) {
    const found = types.get(block) ?? [];
    const runs = isProgramText(block.language) && "run" in block.marks;
    if (runs) await finish();
    if (runs && found.length === 0) above = { block, started: await runBlock(block) };
    else if (block.language === "sh") found.push(...(await checkCommands(block, above?.started, examples)));
    else found.push(...unparsed(block));
    failures.push(...found.map((failure) => `${at(block)} ${failure}`));
  }
  await finish();
  return failures;
}

/** @param {Block} block @param {import("./docs/run.mjs").Started | undefined} above @param {Examples} examples */
async function checkCommands(block, above, examples) {
  const { on, run } = block.marks;
  if (on === undefined) return run === undefined ? unknownCommands(block) : runCommands(block, undefined);
  if (on !== "above") return runCommands(block, (await examples.get(on)).port);
  return above?.port === undefined
    ? ["on=above, but the block above started no server"]
    : runCommands(block, above.port);
}

/** The examples that blocks talk to, each started once. */
class Examples {
  #started = new Map();

  /** @param {string} name */
  get(name) {
    const started = this.#started.get(name) ?? startExample(name);
    this.#started.set(name, started);
    return started;
  }

  async finish() {
    for (const started of await Promise.allSettled(this.#started.values())) await started.value?.finish();
  }
}

/** @param {string} language */
const isProgramText = (language) => language === "ts" || language === "js";

/** @param {Block} block */
function unparsed({ language, code }) {
  if (language !== "json" && language !== "yaml") return [];
  try {
    if (language === "json") JSON.parse(code);
    else parseYaml(code, { strict: true });
    return [];
  } catch (error) {
    return [`is no ${language}: ${error.message}`];
  }
}

/** Relative links that lead nowhere: to no file, or to no heading of one. @param {string} page @param {string} text */
function deadLinks(page, text) {
  const prose = text.replace(/^( *)(`{3,})[\s\S]*?^\1\2\s*$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)].flatMap(([, target, heading]) => {
    const path = target === "" ? page : join(dirname(page), target);
    if (/^[a-z]+:/.test(target)) return [];
    if (!existsSync(join(root, path))) return target === "" ? [] : [`${page}: a link to ${target}, which is not there`];
    const lost = heading !== undefined && !anchorsOf(readFileSync(join(root, path), "utf8")).has(heading);
    return lost ? [`${page}: a link to #${heading} of ${path}, which has no such heading`] : [];
  });
}

/** What can be linked to within a page: its headings, as they are linked on the web, and its ids. @param {string} text */
function anchorsOf(text) {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)]);
}

/** @param {Block} block */
const at = ({ page, line, language }) => `${page}:${line} (${language})`;

/** @param {readonly string[]} filters */
async function main(filters) {
  const chosen = pages().filter((page) => filters.length === 0 || filters.some((text) => page.includes(text)));
  const report = await checkPages(new Map(chosen.map((page) => [page, readFileSync(join(root, page), "utf8")])));
  const file = join(root, ".build", "reports", "docs-test.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...report, pages: chosen }, null, 2));
  for (const { at: where, reason } of report.notRun)
    process.stdout.write(`- ${where} compiled, not run: ${reason}
`);
  for (const { at: where, reason } of report.notChecked)
    process.stdout.write(`- ${where} not checked: ${reason}
`);
  for (const failure of report.failures) process.stdout.write(`✖ ${failure}\n`);
  const summary = `${report.checked} blocks checked on ${chosen.length} pages, ${report.notChecked.length} not checked, ${report.failures.length} failures`;
  process.stdout.write(`${summary}\n${relative(root, file)}\n`);
  process.exitCode = report.failures.length === 0 ? 0 : 1;
}

if (isProgram(import.meta)) await main(process.argv.slice(2));
