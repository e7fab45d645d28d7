/**
 * The code blocks of a Markdown page, each with the checks in its info string.
 *
 *   ```ts run                 type-checked and run; `console.log(x); // text` must print that text
 *   ```ts only="needs a key"  type-checked, not run, and why
 *   ```js run                 run, not type-checked
 *   ```ts file=app.ts         importable by the page's other blocks as "./app.ts"
 *   ```sh on=above            run against the application that the `ts run` block above started
 *   ```sh on=shop             run against examples/shop; `# → text` must be in the output of the command before it
 *   ```sh run                 run in an empty folder
 *   ```sh typed               typed by `make pack-test` (e2e/guides.pack.ts), the page's blocks in order, beside a clone in
 *                             framework/; a program that serves is asked by the next block with `localhost` in it
 *   ```json file=a.json       written by that reader, as is ```ts file=a.ts, where the commands before have led
 *   ```sh                     its make verbs, npm scripts and files exist
 *   ```json ```yaml           parsed
 *   ```text                   a drawing or an output: nothing to check
 *   ```js skip="why"          not checked, and why
 *
 * A comment `<!-- setup … -->` directly above a block is code that readers need not see. It is put before the block.
 * This is our own code, since no tool starts the servers of a page and sends requests to them.
 */

/** @typedef {{ page: string, line: number, language: string, marks: Record<string, string>, code: string, setup?: { line: number, code: string } }} Block */

const runnable = /\bapp\.(start|fetch)\(|^\s*console\.log\(.*\);? \/\/ |from "node:test"/m;
const marks = {
  ts: ["run", "only", "file"],
  js: ["run"],
  sh: ["run", "on", "typed"],
  json: ["file"],
  yaml: [],
  text: [],
};

/** @param {string} page @param {string} markdown @returns {Block[]} @throws Error on a fence that is not closed */
export function blocksOf(page, markdown) {
  const lines = markdown.split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent, ticks, info] = /^( *)(`{3,})(.*)$/.exec(lines[at]) ?? [];
    if (ticks === undefined) continue;
    const end = lines.findIndex((line, i) => i > at && line.trim() === ticks);
    if (end < 0) throw new Error(`${page}:${at + 1}: a code block that is not closed`);
    const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const [language = "", ...words] = info.trim().match(/[\w-]+="[^"]*"|\S+/g) ?? [];
    const given = words.map((word) => /^([^=]+)=?"?([^"]*)/.exec(word)?.slice(1) ?? [word, ""]);
    const block = { page, line: at + 2, language, marks: Object.fromEntries(given), code: code.join("\n") };
    blocks.push({ ...block, setup: setupAbove(lines, at) });
    at = end;
  }
  return blocks;
}

/** @param {readonly string[]} lines @param {number} at the fence's index */
function setupAbove(lines, at) {
  const start = lines[at - 1]?.trim() === "-->" ? lines.lastIndexOf("<!-- setup", at) : -1;
  return start < 0 ? undefined : { line: start + 2, code: lines.slice(start + 1, at - 1).join("\n") };
}

/** Why a block is malformed, or undefined if it is not. @param {Block} block */
export function malformed({ language, marks: given, code }) {
  if (language === "") return "has no language: say ts, sh, json, yaml or text";
  if ("skip" in given) return given.skip.trim() === "" ? 'skip="" gives no reason' : undefined;
  if (!(language in marks)) return `nobody checks ${language}: say skip="why"`;
  const odd = Object.keys(given).find((name) => !marks[language].includes(name));
  if (odd !== undefined) return `${odd} is no mark of a ${language} block`;
  if (language === "js" && !("run" in given)) return 'is run or not checked: say run, ts or skip="why"';
  const silent = language === "ts" && !("run" in given || "file" in given || given.only);
  return silent && runnable.test(code)
    ? 'starts, fetches or prints, yet nobody runs it: say run or only="why"'
    : undefined;
}

/** The texts promised by `console.log(…); // text`, in order. @param {string} code @returns {string[]} */
export function promisedOutput(code) {
  return [...code.matchAll(/^\s*console\.log\(.*\);?\s*\/\/ (.*)$/gm)].map(([, text]) => text.trimEnd());
}

/**
 * The commands of a shell block (a `\` at the end of a line continues it), each with the texts that its output must contain.
 *
 * @param {string} code
 * @returns {{ command: string, line: number, expected: string[] }[]}
 */
export function commandsOf(code) {
  const commands = [];
  for (const [line, text] of code.split("\n").entries()) {
    const last = commands.at(-1);
    const [, promise] = /^# → (.*)$/.exec(text) ?? [];
    if (last?.command.endsWith("\\")) last.command += `\n${text}`;
    else if (promise !== undefined) last?.expected.push(promise);
    else if (text.trim() !== "" && !text.startsWith("#")) commands.push({ command: text, line, expected: [] });
  }
  return commands;
}
