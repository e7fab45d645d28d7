/**
 * Shared by the tests of this package: temporary folders, Node as a child process, a project's modules and files.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

/** The compiled program. */
export const main: string = fileURLToPath(new URL("main.js", import.meta.url));
/** The folder of our packages. */
export const sources: string = dirname(dirname(dirname(main)));
/** The installed packages of this repository. */
export const modules: string = join(dirname(sources), "node_modules");

/** A folder for one file's tests, removed after them. Call it where the tests are declared. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "scaffold-")));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A server on loopback for one file's tests, closed after them. Call it where the tests are declared. @returns its origin, within
 * them
 */
export function testServer(listener: RequestListener): () => string {
  const server = createServer(listener);
  before(() => once(server.listen(0, "127.0.0.1"), "listening"));
  after(() => server.close());
  return () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The result of a process. */
export interface Result {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. A test runner started by a test needs a variable that says that it is independent. */
function ended(program: string, cwd: string, args: readonly string[], extra: NodeJS.ProcessEnv = {}): Promise<Result> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, ...extra };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Runs Node to its end. */
export const node = (cwd: string, ...args: readonly string[]): Promise<Result> => ended(process.execPath, cwd, args);

/**
 * Runs one of the project's scripts to its end: `npm test`, `npm run build`. As its owner does, without our options and our
 * coverage.
 */
export const npm = (cwd: string, ...args: readonly string[]): Promise<Result> =>
  ended("npm", cwd, ["--silent", ...args], { NODE_V8_COVERAGE: "", NODE_OPTIONS: "" });

/** The program of devtools. */
export const terminal: string = join(modules, "@framework", "devtools", "dist", "cli", "terminal", "main.js");

/** The names of the packages of a project without devtools, except its validation library. */
export const needed: readonly string[] = ["framework", "create-framework", "typescript", "@types/node"];

/** A project's package.json. */
export function manifestOf(project: string): Record<Section, Record<string, string>> {
  return JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as Record<Section, Record<string, string>>;
}
type Section = "scripts" | "dependencies" | "devDependencies";

/** The number of passed tests in the output of Node's runner. */
export function passed(output: string): number {
  return Number(/^(?:#|ℹ) pass (\d+)$/m.exec(output)?.[1]);
}

/** Does the work of `npm install`, without the network. The programs of all packages are linked. */
export function linkModules(project: string, ...names: readonly string[]): void {
  const link = (name: string, target = join(modules, name)): void => {
    const path = join(project, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path, "junction");
  };
  for (const name of names) link(name);
  // As npm does it. In a clone that was installed before it was built, npm found none of our programs to link.
  for (const name of readdirSync(join(modules, ".bin")))
    if (!/^(?:(?:create-)?framework|framework-devtools)$/.test(name)) link(`.bin/${name}`);
  const programs = [
    ["framework", main],
    ...(names.includes("@framework/devtools") ? [["framework-devtools", terminal]] : []),
  ];
  for (const [name = "", file = ""] of programs) {
    chmodSync(file, 0o755);
    link(`.bin/${name}`, file);
  }
}

/** The text of every file in the project, by path, without `node_modules` and `dist`. */
export function contents(project: string): Map<string, string> {
  const paths = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1))
    .filter((path) => !/^(?:node_modules|dist|build|\.framework)\b/.test(path));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(project, path), "utf8")]));
}

/** Starts a compiled program on a free port, passes its address to `use`, then ends it as an orchestrator would. */
export async function running(
  project: string,
  entry: string,
  use: (url: string) => Promise<void>,
): Promise<number | null> {
  const child: ChildProcess = spawn(process.execPath, [entry], {
    cwd: project,
    env: { ...process.env, PORT: "0", METRICS_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  assert.ok(child.stdout);
  const exited = once(child, "exit");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^Listening on (\S+)$/.exec(line)?.[1];
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
