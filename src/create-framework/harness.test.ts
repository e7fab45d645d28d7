/**
 * What the tests of this package share: folders that go away, Node as a child process, a project's modules and files.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

/** The compiled program. */
export const main: string = fileURLToPath(new URL("main.js", import.meta.url));
/** The folder of our packages. */
export const sources: string = dirname(dirname(dirname(main)));
/** The installed packages of this repository. */
export const modules: string = join(dirname(sources), "node_modules");

/** A folder for one file's tests; gone after them. Call it where the tests are declared. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "scaffold-")));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** How a process ended. */
export interface Result {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node to its end. A test runner started by a test needs a variable that says it is on its own. */
export function node(cwd: string, ...args: readonly string[]): Promise<Result> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** What `npm install` would do, without the network. */
export function linkModules(project: string, ...names: readonly string[]): void {
  for (const name of names) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(modules, name), link, "junction");
  }
}

/** The text of every file in the project, below its path, `node_modules` and `dist` apart. */
export function contents(project: string): Map<string, string> {
  const paths = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
    .filter((path) => !/^(?:node_modules|dist)\b/.test(path));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(project, path), "utf8")]));
}

/** Starts a compiled program on a free port, hands its address to `use`, then ends it as an orchestrator would. */
export async function running(
  project: string,
  entry: string,
  use: (url: string) => Promise<void>,
): Promise<number | null> {
  const child: ChildProcess = spawn(process.execPath, [entry], {
    cwd: project,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  assert.ok(child.stdout);
  const exited = once(child, "exit");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /"message":"listening","url":"([^"]+)"/.exec(line)?.[1];
      if (url === undefined) continue;
      await use(url);
      break;
    }
  } finally {
    child.kill("SIGTERM");
  }
  const [code] = (await exited) as [number | null];
  return code;
}

/** Status and body of a GET. */
export async function responseOf(url: string): Promise<{ status: number; body: string }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.text() };
}
