/** A redis-server for tests, on a Unix socket in its own folder: no port, and nothing on disk afterwards. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why tests with Redis are skipped, or false if they are not. */
export const isRedisMissing: false | string =
  spawnSync("redis-server", ["--version"]).status === 0 ? false : "redis-server is not installed";

/** A server of its own for a file or a suite. */
export class TestRedis {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "redis-"));
  readonly path: string = join(this.#folder, "socket");
  #server: ChildProcess | undefined;

  /** @param more further arguments of the program */
  async start(...more: readonly string[]): Promise<void> {
    const args = ["--port", "0", "--unixsocket", this.path, "--save", "", "--dir", this.#folder, ...more];
    const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#server = server;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      server.stdout.on("data", (chunk) => /ready to accept/i.test((log += String(chunk))) && resolve());
      server.once("exit", () => reject(new Error(`redis-server did not start: ${log}`)));
    });
  }

  /** Suspends it with its connections open, or lets it go on. */
  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#server?.kill(name);
  }

  /** Kills it like a crash, also when it is suspended. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }

  /** Kills it, if it was started, and removes its folder. */
  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
