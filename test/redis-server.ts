/** A Redis for one test, on a Unix socket in its own folder: no port, and nothing on disk afterwards. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** Why tests with Redis are skipped, or false if they are not. */
export const isRedisMissing = (): false | string =>
  spawnSync("redis-server", ["--version"]).error === undefined ? false : "skipped: redis-server is not installed";

/** A running server, which can be killed and started again. */
export interface RedisServer {
  /** Its Unix socket: `new Redis(path)` of ioredis, `createClient({ socket: { path } })` of redis. */
  readonly path: string;
  /** Kills it like a crash. */
  kill(): Promise<void>;
  /** Suspends it with its connections open, until `resume`. */
  hang(): void;
  resume(): void;
  start(): Promise<void>;
}

/** Runs a Redis until the test is over. A durable one has its data again after `kill` and `start`. */
export async function startRedis(
  t: Pick<TestContext, "after">,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "framework-redis-"));
  const path = join(folder, "redis.sock");
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  };
  const start = async (): Promise<void> => {
    const args = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder];
    args.push("--appendonly", isDurable ? "yes" : "no");
    const started = spawn("redis-server", args, { stdio: "ignore" });
    child = started;
    while (!(await accepts(path))) {
      if (started.exitCode !== null) throw new Error(`redis-server ended with ${started.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { path, kill, start, hang: () => void child?.kill("SIGSTOP"), resume: () => void child?.kill("SIGCONT") };
}

/** Does anything accept connections there? */
export function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
