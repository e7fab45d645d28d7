/**
 * Starts a target's subject in a separate process, and stops it.
 *
 *   spawn ──▶ "listening on http://127.0.0.1:41234"             Node, Bun, Deno
 *         └─▶ {"event":"listen","socket":"http","port":41234}   workerd
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Profile } from "./kit/case.ts";
import type { Target } from "./targets.ts";

/** A started subject. */
export interface Started {
  readonly url: URL;
  /** Resolves when its process has ended. After five seconds it is killed. */
  stop(): Promise<void>;
}

/** Starts the target's subject with this profile on a free port. Rejects with its output if it does not listen. */
export async function start(target: Target, profile: Profile): Promise<Started> {
  const env = {
    ...process.env,
    PORT: "0",
    PROFILE: profile,
    ENGINE: target.engine ?? "",
    NODE_ENV: "",
    FRAMEWORK_DEVTOOLS: "",
  };
  const child = spawn(target.command, target.args(profile), { env, stdio: ["ignore", "pipe", "pipe"] });
  const url = await listening(child, `${target.name}, ${profile}`);
  return { url, stop: () => ended(child) };
}

/** The address in a subject's output, as soon as it appears. */
export function addressIn(printed: string): URL | undefined {
  const [, url] = /listening on (https?:\/\/\S+)\s/.exec(printed) ?? [];
  const [, port] = /^\{"event":"listen".*"port":(\d+)\}$/m.exec(printed) ?? [];
  if (url !== undefined) return new URL(url);
  return port === undefined ? undefined : new URL(`http://127.0.0.1:${port}`);
}

function listening(child: ChildProcess, name: string): Promise<URL> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const read = (chunk: Buffer): void => {
      printed = (printed + chunk.toString()).slice(-10_000);
      const found = addressIn(printed);
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.on("error", reject);
    child.on("exit", (code) =>
      reject(new Error(`the subject (${name}) ended with ${code ?? "a signal"} before it listened: ${printed}`)),
    );
  });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 5_000).unref();
  });
}
