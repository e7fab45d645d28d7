/**
 * The program `framework-devtools`: the page's content, without a browser.
 *
 *   arguments ──▶ command ──▶ devtools of the application, by GET ──▶ stdout, exit 0 (1: a rule is broken)
 *                    └──────▶ one line on stderr, exit 2
 */
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { commandOf, help, type Command, type Common } from "./args.ts";
import { DevtoolsClient } from "./client.ts";
import {
  printDiff,
  printFile,
  printGraph,
  printProfile,
  printReplay,
  printRun,
  printRuns,
  printSent,
  printWhatIf,
  type Setting,
} from "./commands.ts";
import { printExplanation } from "./explain.ts";
import { lineOf } from "./errors.ts";
import { printJobs, printRetry } from "./jobs.ts";
import { adviceFor } from "./last-start.ts";
import { printable } from "./printable.ts";
import { screenOf, type Output } from "./screen.ts";
import { tokenFor } from "./token.ts";

/** The environment of the program. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory, which is the project's. */
  readonly folder: string;
  readonly output: Output;
  /** The streams to and from an agent. */
  readonly pipe: { readonly input: Readable; readonly output: Writable };
  readonly signal: AbortSignal;
  print(text: string): void;
  printError(text: string): void;
}

const FAILED = 2;
/** The exit code of shells for a program that Ctrl+C ended. */
const INTERRUPTED = 130;
const DEFAULT_URL = "http://localhost:8080";

/** Runs the command of the arguments. Never throws. @returns the exit code */
export async function runProgram(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    return await run(commandOf(args), around);
  } catch (error) {
    if (around.signal.aborted) return INTERRUPTED;
    around.printError(`framework-devtools: ${printable(lineOf(error))}\n`);
    return FAILED;
  }
}

async function run(command: Command, around: Surroundings): Promise<number> {
  if (command.kind === "help" || command.kind === "version") {
    around.print(command.kind === "help" ? help : `${version()}\n`);
    return 0;
  }
  if (command.kind === "mcp") return serveAgent(command, around);
  if (command.kind === "open") {
    const screen = screenOf(around.output, around.env, command.width);
    return printFile(command, { screen, print: (line) => around.print(`${line}\n`) });
  }
  const setting = settingOf(command, around);
  switch (command.kind) {
    case "runs":
      return printRuns(command, setting);
    case "run":
      return printRun(command, setting);
    case "explain":
      return printExplanation(command, setting);
    case "send":
      return printSent(command, setting);
    case "what-if":
      return printWhatIf(command, setting);
    case "profile":
      return printProfile(command, setting);
    case "replay":
      return printReplay(command, setting);
    case "jobs":
      return printJobs(command, setting);
    case "retry":
      return printRetry(command, setting);
    case "graph":
      return printGraph(command, setting);
    case "graph-diff":
      return printDiff(command, setting);
  }
}

function settingOf(command: Common, around: Surroundings): Setting {
  const { env, output, signal } = around;
  return {
    client: clientOf(command, around, signal),
    screen: screenOf(output, env, command.width),
    print: (line) => around.print(`${line}\n`),
    say: (line) => say(line, around),
    signal,
  };
}

const say = (line: string, around: Surroundings): void => around.printError(`framework-devtools: ${printable(line)}\n`);

/** Devtools of the chosen application. @throws TerminalError if that is not an address */
function clientOf({ url, waitMs }: Common, { env, folder }: Surroundings, signal?: AbortSignal): DevtoolsClient {
  const named = url ?? (env["FRAMEWORK_DEVTOOLS_URL"] || DEFAULT_URL);
  const host = URL.canParse(named) ? new URL(named).hostname : "";
  const advice = (base: string): string | undefined => adviceFor(base, folder);
  return new DevtoolsClient({ url: named, token: tokenFor(host, folder, env), waitMs, signal, advice });
}

/** `mcp`. Only this command loads its dependencies. */
async function serveAgent(command: Common, around: Surroundings): Promise<number> {
  const client = (signal?: AbortSignal): DevtoolsClient => clientOf(command, around, signal);
  client();
  const { serve } = await import("../mcp/serve.ts");
  const { pipe, signal } = around;
  await serve({ ...pipe, signal, version: version(), client, say: (line) => say(line, around) });
  return 0;
}

function version(): string {
  const manifest = new URL("../../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
