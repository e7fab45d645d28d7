/**
 * Runs tools as child processes for the other scripts: without a shell, and with inherited output. A failure ends the calling
 * script with the tool's own exit code, so no step is skipped silently.
 */
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root directory, absolute. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** True if the module with this `import.meta` is the main program, even through a symbolic link. */
export function isProgram({ filename }) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(filename);
}

/**
 * Runs `command` and returns its exit code. `node` is the running binary. A name found in node_modules/.bin is that file.
 * Anything else is looked up on PATH.
 *
 * @param {string} command @param {readonly string[]} args @param {Record<string, string>} [env] in addition to this process's own
 */
export function execute(command, args, env) {
  const local = join(root, "node_modules", ".bin", command);
  const program = command === "node" ? process.execPath : existsSync(local) ? local : command;
  const stdio = ["ignore", "inherit", "inherit"];
  const { status, signal, error } = spawnSync(program, args, { cwd: root, env: { ...process.env, ...env }, stdio });
  if (error) throw error;
  if (signal) process.stderr.write(`${command} ${args.join(" ")}: ended by ${signal}\n`);
  return status ?? 128 + constants.signals[signal];
}

/** Runs `command`. If it fails, ends this process with its exit code. */
export function run(command, args) {
  const code = execute(command, args);
  if (code === 0) return;
  process.stderr.write(`failed (exit ${code}): ${command} ${args.join(" ")}\n`);
  process.exit(code);
}
