/**
 * The program `framework-devtools`: the picture of the page, without a browser.
 *
 *   arguments ──▶ command ──▶ devtools of the application, by GET ──▶ stdout, exit 0 (1: a rule is broken)
 *                    └──────▶ one line on stderr, exit 2
 *
 * Spec: spec/agents.md (AGENT)
 */
import { readFileSync } from "node:fs";
import { commandOf, help, type Command } from "./args.ts";
import { DevtoolsClient } from "./client.ts";
import { printDiff, printGraph, printRun, printRuns, printSent, type Setting } from "./commands.ts";
import { lineOf } from "./errors.ts";
import { printable } from "./printable.ts";
import { screenOf, type Output } from "./screen.ts";
import { tokenFor } from "./token.ts";

/** What is around the program. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory: the project's. */
  readonly folder: string;
  readonly output: Output;
  readonly signal: AbortSignal;
  print(text: string): void;
  printError(text: string): void;
}

const FAILED = 2;
const DEFAULT_URL = "http://localhost:8080";

/** Does what the arguments say. Never throws. @returns the exit code */
export async function runProgram(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    return await run(commandOf(args), around);
  } catch (error) {
    around.printError(`framework-devtools: ${printable(lineOf(error))}\n`);
    return FAILED;
  }
}

async function run(command: Command, around: Surroundings): Promise<number> {
  if (command.kind === "help" || command.kind === "version") {
    around.print(command.kind === "help" ? help : `${version()}\n`);
    return 0;
  }
  const setting = settingOf(command, around);
  switch (command.kind) {
    case "runs":
      return printRuns(command, setting);
    case "run":
      return printRun(command, setting);
    case "send":
      return printSent(command, setting);
    case "graph":
      return printGraph(command, setting);
    case "graph-diff":
      return printDiff(command, setting);
  }
}

function settingOf(
  { url, waitMs, width }: Exclude<Command, { kind: "help" | "version" }>,
  around: Surroundings,
): Setting {
  const { env, folder, output, signal } = around;
  const named = url ?? (env["FRAMEWORK_DEVTOOLS_URL"] || DEFAULT_URL);
  const host = URL.canParse(named) ? new URL(named).hostname : "";
  return {
    client: new DevtoolsClient({ url: named, token: tokenFor(host, folder, env), waitMs }),
    screen: screenOf(output, env, width),
    print: (line) => around.print(`${line}\n`),
    say: (line) => around.printError(`framework-devtools: ${printable(line)}\n`),
    signal,
  };
}

function version(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
