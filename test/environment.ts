/**
 * What benches and stress runs read from the environment: switches, and the Node that their servers run on.
 *
 * A wrong value is one sentence and exit code 2, never a guess.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root; this file is compiled to .build/test/. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What `read` makes of this run's environment; a value that it rejects is said in a sentence, and ends the run with 2. */
export function fromEnvironment<T>(read: (env: Environment) => T): T {
  try {
    return read(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

/** Whether a switch is on. @throws Error when it is neither `1`, `0` nor nothing. */
export function isOn(name: string, value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "0") return false;
  if (value === "1") return true;
  throw new Error(`${name} is ${JSON.stringify(value)}: 1 or nothing`);
}

/**
 * The binary to run servers with: NODE_BINARY, else NODE=<major> among conformance/runtimes, else this one.
 *
 * @throws Error when there is no such Node.
 */
export function nodeOf({ NODE_BINARY: binary, NODE: major }: Environment): string {
  if (binary !== undefined && binary !== "") {
    if (!existsSync(binary)) throw new Error(`NODE_BINARY is ${binary}: there is no such file`);
    return binary;
  }
  if (major === undefined || major === "" || process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const found = join(root, "conformance", "runtimes", "node_modules", `node${major}`, "bin", "node");
  if (/^\d+$/.test(major) && existsSync(found)) return found;
  throw new Error(
    `NODE is ${major}: no such Node under conformance/runtimes, which make runtimes fills with 22, 24 and 26; or set NODE_BINARY`,
  );
}

/** Hosts of fetch handlers that `make runtimes` installs, and how a script is started there. */
const hosts: Readonly<Record<string, readonly [binary: string, ...args: readonly string[]]>> = {
  bun: ["@oven/bun-linux-x64/bin/bun", "run"],
  deno: ["@deno/linux-x64-glibc/deno", "run", "-A", "--no-prompt"],
};

/** The command by which a script starts on that host; undefined where it is not installed. */
export function commandOn(host: string): readonly [string, ...string[]] | undefined {
  const [binary, ...args] = hosts[host] ?? [];
  const path = join(root, "conformance", "runtimes", "node_modules", binary ?? "");
  return binary === undefined || !existsSync(path) ? undefined : [path, ...args];
}

/** What a Node says it is. */
export const versionsOf = (node: string): { readonly node: string } => ({
  node: execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim(),
});
