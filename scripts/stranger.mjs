/**
 * A machine that has never seen this repository, as far as one process can be: what pack-test.mjs runs things in.
 *
 *   commands end or are ended · programs are started, watched line by line, and ended as Ctrl-C does
 *
 * The environment that an npm script inherits would lead a stranger's npm back into this repository; it is taken out,
 * and npm's cache is an empty folder. Whatever was started is ended, also when a step fails.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "./process.mjs";

const COMMAND_MS = 180_000;
/** What npm tells its scripts about this repository, and what would change the programs; proxies and the like stay. */
const inherited = [
  /^npm_(lifecycle|package|command|execpath|node_execpath)/i,
  /^npm_config_(local_prefix|global_prefix|prefix|cache|init_module)$/i,
  /^(INIT_CWD|NODE_(?!EXTRA_CA_CERTS).*|FRAMEWORK_.*|PORT|DATA_FILE)$/,
];

/** @param {string} folder the temporary folder everything happens in */
export function environment(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !inherited.some((pattern) => pattern.test(name)));
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(root));
  mkdirSync(join(folder, "npm-cache"), { recursive: true });
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    npm_config_cache: join(folder, "npm-cache"),
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    npm_config_loglevel: "error",
  };
}

/**
 * Runs a command to its end and resolves to its standard output.
 *
 * @param {string} cwd @param {NodeJS.ProcessEnv} env @param {string} command @param {readonly string[]} args
 * @throws Error with the end of its output when it fails or takes too long
 */
export async function command(cwd, env, command, ...args) {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: COMMAND_MS });
  const output = { stdout: "", all: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
    output.all += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => (output.all += text));
  const [code, signal] = await once(child, "close");
  if (code === 0) return output.stdout;
  const end = output.all.trim().split("\n").slice(-30).join("\n");
  throw new Error(`${command} ${args.join(" ")} ended with ${signal ?? code}\n${end}`);
}

/** A program that runs until it is stopped, in a process group of its own. */
export class Program {
  #output = "";
  #child;
  #closed;

  /** @param {string} cwd @param {NodeJS.ProcessEnv} env @param {string} command @param {readonly string[]} args */
  constructor(cwd, env, command, ...args) {
    this.#child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#closed = once(this.#child, "close");
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (this.#output += text));
  }

  /** What it has printed so far. */
  get output() {
    return this.#output;
  }

  /**
   * The first match in what it has printed from character `from` on, as soon as there is one.
   *
   * @param {RegExp} pattern @param {number} [from]
   */
  async prints(pattern, from = 0) {
    const found = () => pattern.exec(this.#output.slice(from));
    await until(() => found() !== null || this.#child.exitCode !== null, `the program to print ${pattern}`, this);
    const match = found();
    if (match === null) throw new Error(`the program ended before it printed ${pattern}\n${this.#output}`);
    return match;
  }

  /** Ends it as Ctrl-C does; what does not listen is killed, which is an error. Resolves to its exit code. */
  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) process.kill(-this.#child.pid, "SIGINT");
    const ended = await Promise.race([this.#closed, delay(10_000, undefined, { ref: false })]);
    if (ended !== undefined) return ended[0];
    process.kill(-this.#child.pid, "SIGKILL");
    throw new Error(`the program did not end on SIGINT\n${this.#output}`);
  }
}

/**
 * Waits until `ready` holds.
 *
 * @param {() => unknown} ready may be asynchronous; a throw counts as "not yet"
 * @param {string} what for the message
 * @param {Program} [program] whose output explains a failure
 */
export async function until(ready, what, program) {
  const deadline = Date.now() + 60_000;
  let reason = "";
  while (Date.now() < deadline) {
    try {
      if (await ready()) return;
      reason = "";
    } catch (error) {
      reason = `: ${error.message}`;
    }
    await delay(50);
  }
  throw new Error(`waited 60 s for ${what}${reason}${program === undefined ? "" : `\n${program.output}`}`);
}

/** Runs steps one after the other, prints a line for each, and counts; after a failed one the rest is not tried. */
export class Steps {
  /** @type {{ name: string, ok: boolean, ms: number, detail?: string }[]} */
  results = [];

  /** @param {string} name @param {() => Promise<string | void>} run what it returns is printed behind the name */
  async step(name, run) {
    const from = performance.now();
    try {
      const detail = (await run()) ?? "";
      this.#add({ name, ok: true, ms: Math.round(performance.now() - from), ...(detail === "" ? {} : { detail }) });
    } catch (error) {
      this.#add({ name, ok: false, ms: Math.round(performance.now() - from), detail: error.message });
      throw error;
    }
  }

  #add(result) {
    this.results.push(result);
    const { name, ok, ms, detail } = result;
    const more = detail === undefined ? "" : ok ? `: ${detail}` : `\n${detail.replace(/^/gm, "    ")}`;
    process.stdout.write(`${ok ? "✔" : "✖"} ${name} (${(ms / 1000).toFixed(1)} s)${more}\n`);
  }

  /** @param {string} name of the report; also prints the last line and sets the exit code */
  report(name) {
    const failed = this.results.filter(({ ok }) => !ok).length;
    const counts = { passed: this.results.length - failed, failed };
    const reports = join(root, ".build", "reports");
    mkdirSync(reports, { recursive: true });
    writeFileSync(join(reports, `${name}.json`), JSON.stringify({ ...counts, steps: this.results }, undefined, 2));
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
    process.exitCode = failed === 0 && counts.passed > 0 ? 0 : 1;
  }
}
