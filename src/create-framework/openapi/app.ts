/**
 * The document of a project's app, without a server: asked for in a process of its own.
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

/** Where a build leaves the app. */
export const DEFAULT_APP = "dist/app.js";
const TIMEOUT_MS = 60_000;
/** What a process has told may come a moment behind its end. */
const GRACE_MS = 500;

/** Which app. */
export interface AppSource {
  /** The file that exports `createApp` or `app`. */
  readonly app: string;
  /** Where it serves its document. */
  readonly path: string;
  readonly folder: string;
}

/** @throws DocumentError where the app cannot be loaded or serves no document */
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
    // Devtools would only watch.
    env: { ...process.env, FRAMEWORK_DEVTOOLS: "false" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  let printed = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const exited = once(child, "exit") as Promise<[code: number | null, signal: string | null]>;
  // Whatever the app has started may hold on to its output: that does not keep the command.
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

/** What the process tells of the document; undefined where it has told nothing by its end. An app may send messages of its own. */
function told(child: ChildProcess): Promise<AppMessage | undefined> {
  return new Promise((resolve) => {
    child.on("message", (given: AppMessage) => {
      if (typeof given === "object" && ("text" in given || "problem" in given)) resolve(given);
    });
    child.once("close", () => resolve(undefined));
  });
}
