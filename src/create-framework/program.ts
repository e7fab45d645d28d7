/**
 * The program of `framework` and `create-framework`.
 *
 *   arguments ──▶ command ──▶ stdout, exit 0
 *                    └──────▶ one line on stderr, exit 1 (2: a document cannot be read); nothing left behind
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { commandOf, help, type Command, type Program } from "./args.ts";
import { runClient } from "./client/client.ts";
import { DifferenceError, UsageError } from "./errors.ts";
import { generate } from "./generate.ts";
import { runOpenApi } from "./openapi/openapi.ts";
import { scaffold } from "./scaffold.ts";

const ownFolder = dirname(dirname(fileURLToPath(import.meta.url)));

// A reader such as `head` may close the pipe early.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exit(1);
});

// For these commands 1 means a difference. A file that cannot be read or written is not one.
const isOfDocuments = ["client", "openapi"].includes(process.argv[2] ?? "");
try {
  process.stdout.write(await run(commandOf(process.argv.slice(2), program())));
} catch (error) {
  process.stderr.write(`${program()}: ${sayingOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? error.exitCode : isOfDocuments ? 2 : 1;
}

/** One line. A list of differences also has a line for each. */
function sayingOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return error instanceof DifferenceError ? [line, ...error.list.map((one) => `  ${one}`)].join("\n") : line;
}

/** The name of the link that npm makes. For a plain file, the first word decides whether it is a command. */
function program(): Program {
  const called = basename(process.argv[1] ?? "").replace(/\.(?:js|cmd|ps1)$/, "");
  if (called === "framework") return "framework";
  return called === "main" && ["new", "generate", "client", "openapi"].includes(process.argv[2] ?? "")
    ? "framework"
    : "create-framework";
}

function run(command: Command): string | Promise<string> {
  if (command.kind === "help") return help;
  if (command.kind === "version") return `${version()}\n`;
  if (command.kind === "client") return runClient({ ...command, folder: process.cwd(), ownFolder });
  if (command.kind === "openapi") return runOpenApi({ ...command, folder: process.cwd() });
  // The rest runs synchronously. A signal in that time ends the compiler, and then the changes are undone.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  if (command.kind === "generate") return generated(command);
  return nextSteps(command, relative(process.cwd(), scaffold({ ...command, parent: process.cwd(), ownFolder })));
}

function generated({ what, name }: Extract<Command, { kind: "generate" }>): string {
  const { paths, isCompiled } = generate({ kind: what, name, folder: process.cwd(), ownFolder });
  const lines = paths.map((path, at) => `  ${at === paths.length - 1 ? "changed" : "created"} ${path}\n`);
  return `Generated the ${what} ${name.type}:\n\n${lines.join("")}\nNext: ${isCompiled ? "" : "npm install, then "}npm test\n`;
}

function version(): string {
  const content = JSON.parse(readFileSync(join(ownFolder, "package.json"), "utf8")) as { readonly version: string };
  return content.version;
}

function nextSteps({ name, devtools }: Extract<Command, { kind: "new" }>, folder: string): string {
  const steps = [...(folder === "" ? [] : [`cd ${folder}`]), "npm install", "npm test", "npm run dev"];
  const dashboard = devtools ? "\nnpm run dev prints the dashboard's address.\n" : "";
  return `Created ${folder === "" ? "the project" : name}. Next:\n\n${steps.map((step) => `  ${step}\n`).join("")}${dashboard}`;
}
