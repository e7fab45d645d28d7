/**
 * A server in a process of its own, on a core of its own.
 *
 *   spawn ──▶ { port } ──▶ usage() at slice borders ──▶ stop()
 *
 * Its standard output goes nowhere: what an access log costs is writing it, not where it ends.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Work } from "../work.ts";

/** What a process says of itself. */
export interface Usage {
  readonly cpuUs: number;
  readonly rss: number;
  /** Bytes of objects, and of what they hold outside of the heap. */
  readonly heap: number;
}

/** Where server processes run and by which Node. */
export interface Host {
  readonly node: string;
  /** The compiled `server.js` to start. */
  readonly entry: string;
  /** Pin the server to core 0 (the load is on core 1). */
  readonly pinned: boolean;
}

/** Can processes be pinned here? */
export const canPin = (): boolean => process.platform === "linux" && spawnSync("taskset", ["--version"]).status === 0;

/** Pins this process, which makes the load, to core 1. */
export function pinLoad(): void {
  spawnSync("taskset", ["-a", "-p", "-c", "1", String(process.pid)]);
}

/** The entry compiled beside this file. */
export const ownEntry: string = fileURLToPath(new URL("../server.js", import.meta.url));

/** One running server. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Starts `module` (a URL) with its work. @throws (rejects) when it ends before it listens. */
  static async start({ node, entry, pinned }: Host, module: string, work: Work): Promise<ServerProcess> {
    const command = [...(pinned ? ["taskset", "-c", "0"] : []), node, entry, module, JSON.stringify(work)];
    const child = spawn(command[0] ?? node, command.slice(1), {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NODE_ENV: "production", FRAMEWORK_DEVTOOLS: "true" },
    });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`${module} with ${JSON.stringify(work)} ended with ${String(code)} before it listened`);
    });
    const [message] = (await Promise.race([once(child, "message"), ended])) as [{ readonly port: number }];
    ended.catch(() => undefined);
    return new ServerProcess(child, message.port);
  }

  /** CPU time and memory so far, by the process's own account; "collected": after its garbage is. */
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
