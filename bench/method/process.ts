/**
 * A server in a separate process, on a separate core.
 *
 *   spawn ──▶ { port } ──▶ usage() at slice borders ──▶ stop()
 *
 * Its standard output is discarded: the cost of an access log is writing it, not its destination.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Work } from "../work.ts";

/** A process's usage; `heap`: bytes of objects, including their external memory. */
export type Usage = Readonly<Record<"cpuUs" | "rss" | "heap", number>>;

/** One server of a list. */
export interface Contender {
  /** Its name in the table: `bare`, `bare-twin`, `ours`, `hand`, or a peer's name. */
  readonly name: string;
  /** URL of its module. */
  readonly module: string;
  readonly work: Work;
  /** The compiled `server.js` that starts it, of this tree or of the base commit. */
  readonly entry?: string;
  /** The command that starts it, if it is not the run's Node. */
  readonly command?: readonly string[];
}

const hasTaskset = process.platform === "linux" && spawnSync("taskset", ["--version"]).status === 0;

/** The command, pinned to a core if possible: 0 for the server, 1 for the load. */
export const onCore = (core: 0 | 1, ...command: readonly string[]): readonly [string, ...string[]] =>
  (hasTaskset ? ["taskset", "-c", String(core), ...command] : command) as [string, ...string[]];

/** Pins this process, which makes the load, to core 1. Returns whether that is possible here. */
export function pinLoad(): boolean {
  if (hasTaskset) spawnSync("taskset", ["-a", "-p", "-c", "1", String(process.pid)]);
  return hasTaskset;
}

const ownEntry = fileURLToPath(new URL("../server.js", import.meta.url));

/** One running server. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts a server with its work on the given Node. @throws (rejects) if it ends before it listens. */
  static async start(node: string, { name, module, work, ...how }: Contender): Promise<ServerProcess> {
    const { entry = ownEntry, command: start = [node] } = how;
    const [command, ...args] = onCore(0, ...start, entry, module, JSON.stringify(work));
    const child = spawn(command, args, {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NODE_ENV: "production", FRAMEWORK_DEVTOOLS: "true" },
    });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`${name} ended with ${String(code)} before it listened: ${module}`);
    });
    const [message] = (await Promise.race([once(child, "message"), ended])) as [{ readonly port: number }];
    ended.catch(() => undefined);
    return new ServerProcess(child, message.port);
  }

  /** CPU time and memory so far, from the process itself; "collected": after a garbage collection. */
  async usage(asked: "usage" | "collected" = "usage"): Promise<Usage> {
    this.#child.send(asked);
    const [usage] = (await once(this.#child, "message")) as [Usage];
    return usage;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const over = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await over;
  }
}
