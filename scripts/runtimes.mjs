/**
 * Finds the other JavaScript runtimes that `make runtimes` installs into conformance/runtimes/.
 *
 *   node scripts/runtimes.mjs           lists them
 *   locateRuntime("bun")                { binary } or { missing: "bun is not installed: run `make runtimes`" }
 *
 * They live in a folder of their own, outside the workspaces and without links in any .bin, so that no script of this
 * repository ever runs on one of them by accident.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isProgram, root } from "./process.mjs";

/** Name → its binary, below conformance/runtimes/node_modules. */
const binaries = {
  node22: "node22/bin/node",
  node24: "node24/bin/node",
  node26: "node26/bin/node",
  bun: "@oven/bun-linux-x64/bin/bun",
  deno: "@deno/linux-x64-glibc/deno",
  workerd: "@cloudflare/workerd-linux-64/bin/workerd",
};

/** @param {string} name @returns {{ binary?: string, missing?: string }} one of the two */
export function locateRuntime(name) {
  const path = binaries[name];
  if (path === undefined) throw new Error(`${name} is no runtime: ${Object.keys(binaries).join(", ")} are`);
  const binary = join(root, "conformance", "runtimes", "node_modules", path);
  return existsSync(binary) ? { binary } : { missing: `${name} is not installed: run \`make runtimes\`` };
}

if (isProgram(import.meta))
  for (const name of Object.keys(binaries)) {
    const { binary, missing } = locateRuntime(name);
    process.stdout.write(`${missing ?? `${name} ${binary}`}\n`);
  }
