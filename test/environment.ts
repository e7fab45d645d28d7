/**
 * The environment of benches, stress runs and the suite: environment variables, and the runtimes that `make runtimes` installs
 * into conformance/runtimes. That is a separate folder without links in any .bin, so that no script runs on one of them by
 * accident.
 *
 * A wrong value is one sentence and exit code 2, never a guess.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. This file is compiled to .build/test/. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The result of `read` for this run's environment. If it rejects a value, prints the sentence and exits with 2. */
export function fromEnvironment<T>(read: (env: Environment) => T): T {
  try {
    return read(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

/** Whether a switch is on. @throws Error unless it is `1`, `0` or empty */
export function isOn(name: string, value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "0") return false;
  if (value === "1") return true;
  throw new Error(`${name} is ${JSON.stringify(value)}: 1 or nothing`);
}

/** Runtime → its binary, below conformance/runtimes/node_modules. */
const binaries: Readonly<Record<string, string>> = {
  node22: "node22/bin/node",
  node24: "node24/bin/node",
  node26: "node26/bin/node",
  bun: "@oven/bun-linux-x64/bin/bun",
  deno: "@deno/linux-x64-glibc/deno",
  workerd: "@cloudflare/workerd-linux-64/bin/workerd",
};

/** The path of that runtime, or a sentence that says that it is missing. @throws Error for an unknown runtime */
export function locateRuntime(name: string): { readonly binary?: string; readonly missing?: string } {
  const path = binaries[name];
  if (path === undefined) throw new Error(`${name} is no runtime: ${Object.keys(binaries).join(", ")} are`);
  const binary = join(root, "conformance", "runtimes", "node_modules", path);
  return existsSync(binary) ? { binary } : { missing: `${name} is not installed: run \`make runtimes\`` };
}

/**
 * The binary to run servers with: NODE_BINARY, else NODE=<major> in conformance/runtimes, else this one.
 *
 * @throws Error if there is no such Node
 */
export function nodeOf({ NODE_BINARY: binary, NODE: major }: Environment): string {
  if (binary !== undefined && binary !== "") {
    if (!existsSync(binary)) throw new Error(`NODE_BINARY is ${binary}: there is no such file`);
    return binary;
  }
  if (major === undefined || major === "" || process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const { binary: found } = `node${major}` in binaries ? locateRuntime(`node${major}`) : {};
  if (found !== undefined) return found;
  throw new Error(
    `NODE is ${major}: no such Node under conformance/runtimes, which make runtimes fills with 22, 24 and 26; or set NODE_BINARY`,
  );
}

/** The runtimes that host fetch handlers, and their arguments to start a script. */
const hosts: Readonly<Record<string, readonly string[]>> = { bun: ["run"], deno: ["run", "-A", "--no-prompt"] };

/** The command that starts a script on that host, or undefined if it is not installed. */
export function commandOn(host: string): readonly [string, ...string[]] | undefined {
  const args = hosts[host];
  const { binary } = args === undefined ? {} : locateRuntime(host);
  return args === undefined || binary === undefined ? undefined : [binary, ...args];
}

/** The version that a Node reports. */
export const versionsOf = (node: string): { readonly node: string } => ({
  node: execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim(),
});
