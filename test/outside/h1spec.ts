/**
 * h1spec (github.com/uNetworking/h1spec) against an app that echoes every body. It sends an HTTP/1.1 server valid and invalid
 * requests.
 *
 * It is a program for Deno, which `make runtimes` installs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Framework } from "framework";
import { locateRuntime } from "../environment.ts";
import { fileBelow } from "./find.ts";

/** Runs the tests in the folder and prints their score. Resolves to the exit code, or undefined if there are none. */
export async function runH1spec(folder: string): Promise<number | undefined> {
  const program = fileBelow(folder, "http_test.ts");
  if (program === undefined) return undefined;
  const { binary = process.env["DENO"], missing } = locateRuntime("deno");
  if (binary === undefined) throw new Error(`h1spec needs Deno: ${missing ?? ""}`);
  const app = await echo().start(0);
  try {
    const args = ["run", "--no-check", "--no-prompt", "--allow-net=127.0.0.1", program, "127.0.0.1", String(app.port)];
    const child = spawn(binary, args, { env: { ...process.env, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
    await once(child, "close");
    return scoreOf(said);
  } finally {
    await app.stop({ graceMs: 0 });
  }
}

function echo(): Framework {
  return Framework.create({ host: "127.0.0.1", logger: { warn: () => {}, error: () => {} } })
    .get("/", () => "")
    .post("/", async (ctx) => ctx.bodyAsString());
}

function scoreOf(said: string): number {
  const lines = said.split("\n").filter((line) => /^(✅|❌)/.test(line));
  if (lines.length === 0) throw new Error(`h1spec did not run:\n${said}`);
  const failed = lines.filter((line) => line.startsWith("❌"));
  for (const line of failed) process.stdout.write(`✖ ${line.slice(1).trim()}\n`);
  process.stdout.write(`h1spec: ${lines.length - failed.length} of ${lines.length} tests\n`);
  return failed.length === 0 ? 0 : 1;
}
