/**
 * A consumer's sandbox: a temporary folder, and an environment in which npm does not know this repository.
 *
 *   run(): a command to its end · start(): a program, watched as it prints, ended as Ctrl-C does · dispose()
 *
 * The environment that npm scripts inherit would lead a consumer's npm back into this repository. It is removed, and npm's cache
 * is an empty folder. All started programs are stopped, even if a test fails.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "@playwright/test";

/**
 * Variables that npm sets for this repository's scripts, and others that would change the programs. Proxies and the like stay.
 */
const inherited = [
  /^npm_(lifecycle|package|command|execpath|node_execpath)/i,
  /^npm_config_(local_prefix|global_prefix|prefix|cache|init_module)$/i,
  /^(INIT_CWD|NODE_(?!EXTRA_CA_CERTS).*|FRAMEWORK_.*|PORT|METRICS_PORT|DATA_FILE)$/,
];
const repository = join(import.meta.dirname, "..");

/** A program that runs until it is stopped, in a separate process group. */
export interface Program {
  /** The first match in its output after character `from`, as soon as there is one. */
  readonly prints: (pattern: RegExp, from?: number) => Promise<RegExpExecArray>;
  /** Its output so far. */
  readonly output: () => string;
  readonly ended: () => boolean;
  /** Ends it like Ctrl-C, and resolves with its exit code. @throws Error if it does not react and is killed */
  readonly stop: () => Promise<unknown>;
}

/** The folder for everything, and the programs that run there. */
export class Sandbox {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), "consumer-")));
  readonly #programs: Program[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor() {
    const kept = Object.entries(process.env).filter(([name]) => !inherited.some((pattern) => pattern.test(name)));
    const path = (process.env["PATH"] ?? "").split(delimiter).filter((entry) => !entry.startsWith(repository));
    this.#env = {
      ...Object.fromEntries(kept),
      PATH: path.join(delimiter),
      npm_config_cache: join(this.folder, "npm-cache"),
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      npm_config_loglevel: "error",
    };
  }

  /** Runs a command to its end. @returns its standard output @throws Error with its `code` and all its output */
  async run(cwd: string, [command = "", ...args]: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const options = { cwd, env: { ...this.#env, ...env }, timeout: 180_000, maxBuffer: 2 ** 26 };
    try {
      return (await promisify(execFile)(command, args, options)).stdout;
    } catch (error) {
      if (error instanceof Error && "stdout" in error) error.message += `\n${String(error.stdout)}`;
      throw error;
    }
  }

  /** Starts a program. */
  start(cwd: string, [command = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): Program {
    const child = spawn(command, args, { cwd, env: { ...this.#env, ...env }, stdio: "pipe", detached: true });
    const closed = once(child, "close");
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (more) => (text += more));
    const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const program: Program = {
      output: () => text,
      ended,
      prints: async (pattern, from = 0) => {
        const found = (): RegExpExecArray | null => pattern.exec(text.slice(from));
        await expect.poll(() => found() !== null || ended(), { timeout: 60_000 }).toBe(true);
        const match = found();
        if (match === null) throw new Error(`the program ended before it printed ${pattern}\n${text}`);
        return match;
      },
      stop: async () => {
        const group = -(child.pid ?? 0);
        if (!ended() && group !== 0) process.kill(group, "SIGINT");
        const [code] = (await Promise.race([closed, delay(10_000, [undefined], { ref: false })])) as unknown[];
        if (code !== undefined) return code;
        process.kill(group, "SIGKILL");
        throw new Error(`the program did not end on SIGINT\n${text}`);
      },
    };
    this.#programs.push(program);
    return program;
  }

  /** Ends what still runs, and removes the folder; KEEP=1 leaves it there. */
  async dispose(): Promise<void> {
    await Promise.allSettled(this.#programs.map((program) => program.stop()));
    if (process.env["KEEP"]) process.stdout.write(`kept: ${this.folder}\n`);
    else rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
