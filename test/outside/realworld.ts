/**
 * RealWorld's API tests against a new Conduit, and its published document compared with Conduit's.
 *
 *     **\/hurl/*.hurl ──▶ requests against an empty Conduit
 *     openapi.yml      ──▶ Conduit's document, compared with the published one
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { parse } from "yaml";
import { root } from "../environment.ts";
import { parseHurl } from "./hurl.ts";
import { runHurl } from "./hurl-run.ts";

/** Runs the tests in the folder and prints their score. Resolves to the exit code, or undefined if there are none. */
export async function runRealWorld(folder: string): Promise<number | undefined> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".hurl"))
    .map((name) => join(folder, name))
    .toSorted();
  const [first] = files;
  if (first === undefined) return undefined;
  const document = join(dirname(first), "..", "openapi.yml");
  const failed = await runFiles(files, versionIn(document));
  const code = existsSync(document) ? compareDocuments(document) : 0;
  return failed > 0 ? 1 : code;
}

function versionIn(document: string): string {
  if (!existsSync(document)) return "(no openapi.yml beside its tests)";
  const { info } = parse(readFileSync(document, "utf8")) as { readonly info: { readonly version: string } };
  return info.version;
}

/** The number of failed requests. */
async function runFiles(files: readonly string[], version: string): Promise<number> {
  const conduit = await startConduit();
  const counts = { passed: 0, all: 0 };
  try {
    for (const file of files) {
      const variables = { host: conduit.url, uid: `${Date.now()}${process.pid}` };
      const outcomes = await runHurl(parseHurl(readFileSync(file, "utf8")), variables, fetch);
      for (const { line, request, failures } of outcomes) {
        for (const failure of failures) print(`✖ ${basename(file)}:${line} ${request}\n    ${failure}`);
        counts.passed += failures.length === 0 ? 1 : 0;
        counts.all += 1;
      }
    }
  } finally {
    await conduit.stop();
  }
  print(`RealWorld ${version}: ${counts.passed} of ${counts.all} requests`);
  return counts.all - counts.passed;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface RunningConduit {
  readonly url: string;
  stop(): Promise<void>;
}

/** An empty Conduit in a separate process, on a free port. @throws Error if it ends before it listens */
async function startConduit(): Promise<RunningConduit> {
  const main = join(root, ".build", "examples", "realworld", "main.js");
  const env = { ...process.env, PORT: "0", DATA_DIR: "", FRAMEWORK_DEVTOOLS: "false" };
  const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string | undefined>((resolve) => {
    lines.on("line", (line) => {
      const [found] = /http:\/\/localhost:\d+/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    lines.on("close", () => resolve(undefined));
  });
  if (url === undefined) throw new Error("Conduit ended before it was listening");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url, stop };
}

/** The exit code of the test that compares the documents. It prints the differences. */
function compareDocuments(document: string): number {
  const test = join(root, ".build", "examples", "realworld", "document.test.js");
  const env = { ...process.env, REALWORLD_SPEC: document };
  const flags = ["--conditions=modules", "--test", "--test-reporter=spec", test];
  return spawnSync(process.execPath, flags, { env, stdio: "inherit" }).status ?? 1;
}
