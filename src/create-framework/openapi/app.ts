/**
 * The document of a project's app, without a server: requested in a separate process.
 *
 *   --app dist/app.js ──▶ app-process.js ──▶ { text } | { problem } ──▶ the document, or one sentence
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Json } from "../document/json.ts";
import { documentOf } from "../document/read.ts";
import { DocumentError } from "../errors.ts";
import type { AppMessage } from "./app-process.ts";

/** The default path of a built app. */
export const DEFAULT_APP = "dist/app.js";
const TIMEOUT_MS = 60_000;
/** A process's message may arrive a moment after its end. */
const GRACE_MS = 500;

/** The app and its document. */
export interface AppSource {
  /** The file that exports `createAppForDocument`, `createApp` or `app`. */
  readonly app: string;
  /** The path of its document. */
  readonly path: string;
  readonly folder: string;
}

/** @throws DocumentError if the app cannot be loaded or serves no document */
export async function documentOfApp({ app, path, folder }: AppSource): Promise<Json> {
  const file = resolve(folder, app);
  if (!existsSync(file))
    throw new DocumentError(`there is no ${app}: build the project first, or name the compiled app with --app <file>`);
  const message = await messageFrom(file, path, folder);
  if ("problem" in message)
    throw new DocumentError(`the app ${app} cannot be asked for its document: ${message.problem}`);
  return documentOf(`what the app ${app} serves at ${path}`, message.text);
}

async function messageFrom(file: string, path: string, folder: string): Promise<AppMessage> {
  const program = join(dirname(fileURLToPath(import.meta.url)), "app-process.js");
  const child = spawn(process.execPath, [program, file, path], {
    cwd: folder,
    // Recording is not needed.
    env: { ...process.env, FRAMEWORK_DEVTOOLS: "false" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  let printed = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const exited = once(child, "exit") as Promise<[code: number | null, signal: string | null]>;
  // A program that the app has started may hold its output open, which must not block the command.
  const message = await Promise.race([told(child), exited.then(() => later(GRACE_MS))]);
  const [code, signal] = await exited;
  clearTimeout(timer);
  child.stderr?.destroy();
  if (message !== undefined) return message;
  const lines = printed.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("Node.js v"));
  const said = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1);
  const end =
    signal === "SIGKILL"
      ? `it did not come to an end within ${TIMEOUT_MS / 1000} seconds`
      : `its process ended with ${code ?? signal}`;
  return { problem: said === undefined ? end : `${end}: ${said.trim()}` };
}

/** The process's message about the document, or undefined if it sent none before its end. An app may send other messages. */
function told(child: ChildProcess): Promise<AppMessage | undefined> {
  return new Promise((resolve) => {
    child.on("message", (given: AppMessage) => {
      if (typeof given === "object" && ("text" in given || "problem" in given)) resolve(given);
    });
    child.once("close", () => resolve(undefined));
  });
}
