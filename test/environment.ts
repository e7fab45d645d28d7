/**
 * What benches, stress runs and the suite find around them: switches of the environment, and the runtimes that `make runtimes`
 * installs into conformance/runtimes: a folder of its own, without links in any .bin, so that no script runs on one of them
 * by accident.
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

/** Runtime → its binary, below conformance/runtimes/node_modules. */
const binaries: Readonly<Record<string, string>> = {
  node22: "node22/bin/node",
  node24: "node24/bin/node",
  node26: "node26/bin/node",
  bun: "@oven/bun-linux-x64/bin/bun",
  deno: "@deno/linux-x64-glibc/deno",
  workerd: "@cloudflare/workerd-linux-64/bin/workerd",
};

/** Where that runtime is, or a sentence that says that it is not there. @throws Error when it is none */
export function locateRuntime(name: string): { readonly binary?: string; readonly missing?: string } {
  const path = binaries[name];
  if (path === undefined) throw new Error(`${name} is no runtime: ${Object.keys(binaries).join(", ")} are`);
  const binary = join(root, "conformance", "runtimes", "node_modules", path);
  return existsSync(binary) ? { binary } : { missing: `${name} is not installed: run \`make runtimes\`` };
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
  const { binary: found } = `node${major}` in binaries ? locateRuntime(`node${major}`) : {};
  if (found !== undefined) return found;
  throw new Error(
    `NODE is ${major}: no such Node under conformance/runtimes, which make runtimes fills with 22, 24 and 26; or set NODE_BINARY`,
  );
}

/** The hosts of fetch handlers among the runtimes, and how a script is started there. */
const hosts: Readonly<Record<string, readonly string[]>> = { bun: ["run"], deno: ["run", "-A", "--no-prompt"] };

/** The command by which a script starts on that host; undefined where it is not installed. */
export function commandOn(host: string): readonly [string, ...string[]] | undefined {
  const args = hosts[host];
  const { binary } = args === undefined ? {} : locateRuntime(host);
  return args === undefined || binary === undefined ? undefined : [binary, ...args];
}

/** What a Node says it is. */
export const versionsOf = (node: string): { readonly node: string } => ({
  node: execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim(),
});
