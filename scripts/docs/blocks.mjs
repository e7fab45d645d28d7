/**
 * The code blocks of a Markdown page, each with what its info string says about checking it.
 *
 *   ```ts run                 type-checked and run; `console.log(x); // text` must print that text
 *   ```ts only="needs a key"  type-checked, and the report says why it is not run
 *   ```js run                 run, not type-checked
 *   ```ts file=app.ts         importable by the page's other blocks as "./app.ts"
 *   ```sh on=above            run against the application that the `ts run` block above started
 *   ```sh on=shop             run against examples/shop; `# → text` must be in the output of the command before it
 *   ```sh run                 run in an empty folder
 *   ```sh                     the commands exist: make verbs, npm scripts, files, programs
 *   ```json ```yaml           parsed
 *   ```text                   a drawing or an output: nothing to check
 *   ```js skip="why"          not checked, and the report says why
 *
 * A comment `<!-- setup … -->` directly above a block is code that readers need not see: it is put before the block.
 */

/**
 * @typedef {object} Block
 * @property {string} page    path of the Markdown file, relative to the root
 * @property {number} line    line of the first line of code, from 1
 * @property {string} language
 * @property {Record<string, string>} marks  `run` → "", `skip="why"` → "why"
 * @property {string} code
 * @property {{ line: number, code: string } | undefined} setup
 */

const runnable = /\bapp\.(start|fetch)\(|^\s*console\.log\(.*\);? \/\/ |from "node:test"/m;
const fence = /^( *)(`{3,}|~{3,})(.*)$/;

/**
 * @param {string} page
 * @param {string} markdown
 * @returns {Block[]}
 * @throws Error on a fence that is not closed
 */
export function blocksOf(page, markdown) {
  const lines = markdown.split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; at += 1) {
    const open = fence.exec(lines[at]);
    if (open === null) continue;
    const [, indent, ticks, info] = open;
    const end = lines.findIndex((line, i) => i > at && line.trim().startsWith(ticks) && /^[`~ ]+$/.test(line));
    if (end < 0) throw new Error(`${page}:${at + 1}: a code block that is not closed`);
    const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({ page, line: at + 2, ...marksOf(info), code: code.join("\n"), setup: setupAbove(lines, at) });
    at = end;
  }
  return blocks;
}

/** @param {string} info e.g. `sh on=above skip="needs a cluster"` */
function marksOf(info) {
  const [language = "", ...words] = info.trim().match(/[\w-]+="[^"]*"|\S+/g) ?? [];
  const marks = words.map((word) => {
    const [, name, , text] = /^([\w-]+)(=(.*))?$/.exec(word) ?? [undefined, word, undefined, ""];
    return [name, (text ?? "").replace(/^"|"$/g, "")];
  });
  return { language, marks: Object.fromEntries(marks) };
}

/** @param {readonly string[]} lines @param {number} at the fence's index */
function setupAbove(lines, at) {
  if (lines[at - 1]?.trim() !== "-->") return undefined;
  const start = lines.slice(0, at).findLastIndex((line) => line.trim() === "<!-- setup");
  if (start < 0) return undefined;
  return { line: start + 2, code: lines.slice(start + 1, at - 1).join("\n") };
}

/** Why a block is malformed as a block; undefined when it is not. @param {Block} block */
export function malformed({ language, marks, code }) {
  const known = { ts: ["run", "only", "file", "skip"], js: ["run", "skip"], sh: ["run", "on", "skip"], text: [] };
  if (language === "") return "has no language: say ts, sh, json, yaml or text";
  if ("skip" in marks) return marks.skip.trim() === "" ? 'skip="" gives no reason' : undefined;
  if (!(language in known))
    return ["json", "yaml"].includes(language) ? undefined : `nobody checks ${language}: say skip="why"`;
  const odd = Object.keys(marks).find((name) => !known[language].includes(name));
  if (odd !== undefined) return `${odd} is no mark of a ${language} block`;
  if (language === "js" && !("run" in marks)) return 'is run or not checked: say run, ts or skip="why"';
  const silent = language === "ts" && !("run" in marks) && !("file" in marks) && (marks.only ?? "") === "";
  return silent && runnable.test(code)
    ? 'starts, fetches or prints, yet nobody runs it: say run or only="why"'
    : undefined;
}

/** What `console.log(…); // text` promises, in order. @param {string} code @returns {string[]} */
export function promisedOutput(code) {
  return [...code.matchAll(/^\s*console\.log\(.*\);?\s*\/\/ (.*)$/gm)].map(([, text]) => text.trimEnd());
}

/**
 * A shell block as commands (a `\` at the end of a line continues it), each with what its output must contain.
 *
 * @param {string} code
 * @returns {{ command: string, line: number, expected: string[] }[]}
 */
export function commandsOf(code) {
  const commands = [];
  let open = false;
  for (const [index, line] of code.split("\n").entries()) {
    const last = commands.at(-1);
    const promise = /^# → (.*)$/.exec(line);
    if (open) last.command += `\n${line}`;
    else if (promise !== null && last !== undefined) last.expected.push(promise[1]);
    else if (line.trim() === "" || line.startsWith("#")) continue;
    else commands.push({ command: line, line: index, expected: [] });
    open = (open || !line.startsWith("#")) && line.endsWith("\\");
  }
  return commands;
}
