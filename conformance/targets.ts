/**
 * What `make conformance` points the suite at: this repository's subject on each engine, one process per
 * profile, started as a stranger would start it.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { profileNames } from "../spec/subject.ts";
import type { Profile } from "./kit/case.ts";

/** Something to run the suite against. */
export interface Target {
  /** The column's name in the matrix. */
  readonly name: string;
  readonly http2: boolean;
  readonly command: string;
  readonly args: readonly string[];
  readonly engine: string;
}

/** The profiles, in the order of their runs. */
export const profiles: readonly Profile[] = profileNames;

const main = fileURLToPath(new URL("subject/main.js", import.meta.url));

/** This Node with this engine. */
export function onThisNode(engine: string): Target {
  return { name: engine, http2: engine === "node-http2", command: process.execPath, args: [main], engine };
}

/** A started subject. */
export interface Started {
  readonly url: URL;
  stop(): Promise<void>;
}

/** Starts the target's subject with this profile on a free port. Rejects with what it printed when it does not listen. */
export async function start({ command, args, engine }: Target, profile: Profile): Promise<Started> {
  const env = { ...process.env, PORT: "0", PROFILE: profile, ENGINE: engine, NODE_ENV: "", FRAMEWORK_DEVTOOLS: "" };
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const url = await listening(child, `${engine}, ${profile}`);
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
        setTimeout(() => child.kill("SIGKILL"), 5_000).unref();
      }),
  };
}

function listening(child: ChildProcess, name: string): Promise<URL> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const read = (chunk: Buffer): void => {
      printed = (printed + chunk.toString()).slice(-10_000);
      const [, url] = /listening on (http:\/\/\S+)/.exec(printed) ?? [];
      if (url !== undefined) resolve(new URL(url));
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.on("error", reject);
    child.on("exit", (code) =>
      reject(new Error(`the subject (${name}) ended with ${code ?? "a signal"} before it listened: ${printed}`)),
    );
  });
}
