/**
 * Looks at shell commands without running them: does what they name exist?
 *
 *   make <verb>   npm run <script>   node <file>   <any other program>
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../process.mjs";
import { commandsOf } from "./blocks.mjs";

const verbs = new Set([...read("Makefile").matchAll(/^([a-z0-9-]+):/gm)].map(([, verb]) => verb));
const { scripts } = JSON.parse(read("package.json"));
const npm = new Set(["ci", "i", "init", "install", "pack", "pkg", "test", "publish"]);

function read(name) {
  return readFileSync(join(root, name), "utf8");
}

/** What the commands of a block name that is not there. @param {import("./blocks.mjs").Block} block */
export function unknownCommands(block) {
  const commands = commandsOf(block.code);
  if (commands.length === 0) return ["holds no command"];
  return commands.flatMap(({ command, line }) =>
    unknownIn(command.replaceAll("\\\n", " ")).map((what) => `line ${block.line + line}: ${what}`),
  );
}

/** @param {string} command */
function unknownIn(command) {
  // Quoted text may hold separators of its own; it is data here.
  const bare = command.replace(/'[^']*'|"[^"]*"/g, "''").replace(/ #.*$/, "");
  return bare.split(/&&|\|\||[|;]/).flatMap((part) => {
    const [program, ...args] = part
      .trim()
      .split(/\s+/)
      .filter((word) => !/^[A-Z_]+=/.test(word));
    if (program === undefined || program === "") return [];
    if (program === "make")
      return args.filter((verb) => /^[a-z]/.test(verb) && !verbs.has(verb)).map((verb) => `no make verb ${verb}`);
    if (program === "npm") return npmFindings(args);
    if (program === "node") return args.filter(isLostFile).map((file) => `no file ${file}`);
    return spawnSync("sh", ["-c", `command -v -- "$1"`, "sh", program]).status === 0 ? [] : [`no program ${program}`];
  });
}

/** @param {readonly string[]} args */
function npmFindings([verb, name]) {
  if (verb === "run") return name in scripts ? [] : [`no npm script ${name}`];
  return npm.has(verb) ? [] : [`npm ${verb} is not expected here`];
}

/** Files of this repository are checked; a reader's own are theirs. @param {string} word */
function isLostFile(word) {
  return /^(\.build|scripts|src|examples)\//.test(word) && !existsSync(join(root, word));
}
