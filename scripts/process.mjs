/**
 * Runs tools as child processes for the other scripts: no shell, inherited output, and a failure
 * that ends the calling script with the tool's own exit code, so that no step is skipped silently.
 */
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root directory, absolute. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * True when the module with this `import.meta` is the program itself, also below a symbolic link.
 *
 * @param {{ filename: string }} meta
 */
export function isProgram({ filename }) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(filename);
}

/**
 * Runs `command` and resolves to its exit code. `node` is the running binary; a name found in
 * node_modules/.bin is that file; anything else is looked up on PATH.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, timeoutMs?: number }} [options]
 * @returns {Promise<number>}
 */
export function execute(command, args, { env = {}, timeoutMs = 0 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(locate(command), args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (signal) process.stderr.write(`${command} ${args.join(" ")}: ended by ${signal}\n`);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/**
 * Runs `command`; when it fails, ends this process with its exit code.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, timeoutMs?: number }} [options]
 */
export async function run(command, args, options) {
  const code = await execute(command, args, options);
  if (code !== 0) {
    process.stderr.write(`failed (exit ${code}): ${command} ${args.join(" ")}\n`);
    process.exit(code);
  }
}

/** @param {string} command */
function locate(command) {
  if (command === "node") return process.execPath;
  const local = join(root, "node_modules", ".bin", command);
  return existsSync(local) ? local : command;
}
