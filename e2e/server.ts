/**
 * A server in a separate process: started, its address read, stopped.
 *
 *   startServer("examples/shop/main.js", { PORT: "0" }) ──▶ its printed address ──▶ stop(): SIGTERM, else SIGKILL
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = join(import.meta.dirname, "..");
const stopTimeoutMs = 15_000;

/** A running server. */
export interface Server {
  /** For example `http://localhost:41234`. */
  readonly origin: string;
  /** Ends the process and waits for it. */
  readonly stop: () => Promise<void>;
  /** Kills the process immediately, like a crash. */
  readonly kill: () => Promise<void>;
}

/** Optimizing PostgreSQL's WebAssembly takes as long as everything else that the demo does in a test. */
const flags = ["--enable-source-maps", "--liftoff-only"];

/**
 * Starts a compiled program of .build/ and waits until it prints its dashboard's address.
 *
 * @throws Error with its output if it ends without printing one
 */
export async function startServer(program: string, env: Readonly<Record<string, string>>): Promise<Server> {
  const child = spawn(process.execPath, [...flags, join(root, ".build", program)], {
    env: { ...process.env, NODE_ENV: "development", FRAMEWORK_DEVTOOLS: "true", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const origin = await addressOf(child);
  return { origin, stop: () => end(child, "SIGTERM"), kill: () => end(child, "SIGKILL") };
}

/** The demo: the shop with its data in memory. */
export const startDemo = (port = "0"): Promise<Server> =>
  startServer("examples/shop/main.js", { PORT: port, DATA_DIR: "" });

/** Reads the output until it contains an address. */
async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the server has no output");
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    const address = /https?:\/\/[^/\s]+(?=\/framework\/dev)/.exec(line);
    if (address) {
      child.stdout.resume();
      return address[0];
    }
  }
  throw new Error(`the server ended without naming its dashboard:\n${said.join("\n")}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}
