/**
 * Runs blocks: compiled TypeScript in a process of its own, shell commands against what that process listens on.
 */
import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../process.mjs";
import { commandsOf, promisedOutput } from "./blocks.mjs";
import { compiled } from "./types.mjs";

/** Bounds a block that hangs; generous, since the machine may have other work. */
const timeoutMs = 120_000;
const environment = {
  ...process.env,
  NODE_ENV: "",
  FRAMEWORK_DEVTOOLS: "",
  NODE_V8_COVERAGE: "",
  NODE_TEST_CONTEXT: undefined,
};

/** @typedef {import("./blocks.mjs").Block} Block */
/** @typedef {{ port: number | undefined, finish(): Promise<string[]> }} Started `finish` ends it: what went wrong. */

/** Runs a `ts run` block; what it started stays until `finish`. @param {Block} block @returns {Promise<Started>} */
export async function runBlock(block) {
  const tests = /from "node:test"/.test(block.code);
  const child = tests
    ? spawn(process.execPath, ["--test-reporter=tap", compiled(block)], { env: environment, stdio: "pipe" })
    : fork(join(root, "scripts", "docs-harness.mjs"), [compiled(block)], { env: environment, stdio: "pipe" });
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const output = collect(child);
  const over = new Promise((resolve) => child.once("close", (code) => resolve({ code })));
  const done = new Promise((resolve) => child.once("message", resolve));
  const { port } = await Promise.race([done, over]);
  const finish = async () => {
    if (child.connected) child.send("exit");
    const { code } = await over;
    clearTimeout(timer);
    if (code !== 0) return [`ended with exit code ${code}:\n${output.text}`];
    if (tests && !/^# pass [1-9]/m.test(output.text)) return [`ran no test:\n${output.text}`];
    return missing(promisedOutput(block.code), output.text);
  };
  return { port, finish };
}

/** What a child has printed so far. @param {import("node:child_process").ChildProcess} child */
function collect(child) {
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output.text += text;
    });
  }
  return output;
}

/** The promised lines that are not there in this order. @param {string[]} promised @param {string} output */
export function missing(promised, output) {
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
  const folder = join(root, ".build", "examples", name);
  const main = join(folder, name === "hello" ? "app.js" : "main.js");
  const child = spawn(process.execPath, [main], { env: { ...environment, PORT: "0" }, stdio: "pipe" });
  const output = collect(child);
  const over = new Promise((resolve) => child.once("close", resolve));
  const port = await new Promise((resolve, reject) => {
    child.stdout.on("data", () => {
      const found = /http:\/\/localhost:(\d+)/.exec(output.text);
      if (found !== null) resolve(Number(found[1]));
    });
    void over.then((code) => reject(new Error(`examples/${name} ended with exit code ${code}:\n${output.text}`)));
  });
  const finish = async () => {
    child.kill("SIGTERM");
    await over;
    return [];
  };
  return { port, finish };
}

/**
 * Runs a shell block in a new folder, `localhost:8080` meaning `port`.
 *
 * @param {Block} block
 * @param {number | undefined} port
 * @returns {Promise<string[]>} what went wrong
 */
export async function runCommands(block, port) {
  const commands = commandsOf(block.code);
  if (commands.length === 0) return ["holds no command"];
  const mark = (index) => `printf '\\n@@%s@@\\n' ${index}`;
  const script = commands.map(({ command }, index) => `${mark(index)}\n${command}`).join("\n");
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  try {
    const { code, output } = await shell(`set -e\n${script}`.replaceAll("localhost:8080", `localhost:${port}`), folder);
    const parts = output.split(/\n@@\d+@@\n/).slice(1);
    if (code !== 0)
      return [`line ${block.line + commands[parts.length - 1].line}: exit code ${code}:\n${parts.at(-1)}`];
    return commands.flatMap(({ line, expected }, index) => {
      const text = parts[index].replaceAll(`localhost:${port}`, "localhost:8080");
      return expected
        .filter((promise) => !text.includes(promise))
        .map((promise) => `line ${block.line + line}: the output lacks ${JSON.stringify(promise)}:\n${text}`);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} script @param {string} cwd */
function shell(script, cwd) {
  const env = { ...environment, REPO: root };
  const child = spawn("sh", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const output = collect(child);
  const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), timeoutMs);
  return new Promise((resolve) => {
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output: output.text });
    });
  });
}
