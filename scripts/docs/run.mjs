/**
 * Runs blocks: compiled TypeScript in a separate process, and shell commands against that process.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../process.mjs";
import { commandsOf, promisedOutput } from "./blocks.mjs";
import { compiled } from "./types.mjs";

/** The timeout of a block, generous because the machine may be busy. */
const timeout = 120_000;
const env = {
  ...process.env,
  // As a reader runs it: with the framework's bundle, which starts faster than its modules.
  NODE_OPTIONS: "",
  NODE_ENV: "",
  FRAMEWORK_DEVTOOLS: "",
  NODE_V8_COVERAGE: "",
  NODE_TEST_CONTEXT: undefined,
};

/** @typedef {import("./blocks.mjs").Block} Block */
/** @typedef {{ port: number | undefined, finish(): Promise<string[]> }} Started `finish` ends it: what went wrong. */

/** Its exit code and its output so far. @param {import("node:child_process").ChildProcess} child */
function watch(child) {
  const seen = { text: "", ended: once(child, "close").then(([code]) => code) };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (seen.text += text));
  return seen;
}

/** Runs a `ts run` block. Its servers stay until `finish`. @param {Block} block @returns {Promise<Started>} */
export async function runBlock(block) {
  const tests = /from "node:test"/.test(block.code);
  const options = { env, stdio: "pipe", timeout, killSignal: "SIGKILL" };
  const child = tests
    ? spawn(process.execPath, ["--test-reporter=tap", compiled(block)], options)
    : fork(join(import.meta.dirname, "harness.mjs"), [compiled(block)], options);
  const seen = watch(child);
  const [port] = await Promise.race([once(child, "message"), seen.ended.then(() => [])]);
  const finish = async () => {
    if (child.connected) child.send("exit");
    const code = await seen.ended;
    if (code !== 0) return [`ended with exit code ${code}:\n${seen.text}`];
    if (tests && !/^# pass [1-9]/m.test(seen.text)) return [`ran no test:\n${seen.text}`];
    return missing(promisedOutput(block.code), seen.text);
  };
  return { port: port || undefined, finish };
}

/** The promised lines that are missing or in another order. @param {string[]} promised @param {string} output */
function missing(promised, output) {
  const lines = output.split("\n");
  let from = 0;
  for (const text of promised) {
    const at = lines.indexOf(text, from);
    if (at < 0) return [`prints no line ${JSON.stringify(text)}:\n${output}`];
    from = at + 1;
  }
  return [];
}

/** Starts `.build/examples/<name>` on a free port. @param {string} name @returns {Promise<Started>} */
export async function startExample(name) {
  const main = join(root, ".build", "examples", name, name === "hello" ? "app.js" : "main.js");
  const child = spawn(process.execPath, [main], { env: { ...env, PORT: "0" }, stdio: "pipe" });
  const seen = watch(child);
  const address = () => /http:\/\/localhost:(\d+)/.exec(seen.text);
  while (address() === null)
    if ((await Promise.race([once(child.stdout, "data"), seen.ended.then(() => undefined)])) === undefined)
      throw new Error(`examples/${name} ended with exit code ${await seen.ended}:\n${seen.text}`);
  const finish = async () => {
    child.kill("SIGTERM");
    await seen.ended;
    return [];
  };
  return { port: Number(address()[1]), finish };
}

/** A project's npm links point to the program of this repository, so npx must not ask a registry for it. */
const programs = `npx() {
  [ "$1" = --no ] || { echo "npx without --no asks a registry for what is not installed" >&2; return 1; }
  shift
  [ "$1" = framework-devtools ] || { echo "npx $1: no program of this repository" >&2; return 1; }
  shift
  node "$REPO/src/devtools/dist/cli/terminal/main.js" "$@"
}`;

/**
 * Runs a shell block in a new folder, with `localhost:8080` replaced by `port`.
 *
 * @param {Block} block
 * @param {number} [port]
 * @returns {Promise<string[]>} the errors
 */
export async function runCommands(block, port) {
  const commands = commandsOf(block.code);
  if (commands.length === 0) return ["holds no command"];
  const script = commands.map(({ command }, index) => `printf '\\n@@%s@@\\n' ${index}\n${command}`).join("\n");
  const cwd = mkdtempSync(join(tmpdir(), "docs-"));
  const line = (index) => `line ${block.line + commands[index].line}`;
  const address = port === undefined ? {} : { FRAMEWORK_DEVTOOLS_URL: `http://localhost:${port}` };
  const options = { cwd, env: { ...env, REPO: root, ...address }, stdio: ["ignore", "pipe", "pipe"], detached: true };
  try {
    const text = `set -e\n${programs}\n${script}`.replaceAll("localhost:8080", `localhost:${port}`);
    const child = spawn("sh", ["-c", text], options);
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), timeout);
    const seen = watch(child);
    const code = await seen.ended;
    clearTimeout(timer);
    const [, ...parts] = seen.text.replaceAll(`localhost:${port}`, "localhost:8080").split(/\n@@\d+@@\n/);
    if (code !== 0) return [`${line(parts.length - 1)}: exit code ${code}:\n${parts.at(-1)}`];
    return commands.flatMap(({ expected }, index) =>
      expected
        .filter((promise) => !parts[index].includes(promise))
        .map((promise) => `${line(index)}: the output lacks ${JSON.stringify(promise)}:\n${parts[index]}`),
    );
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
