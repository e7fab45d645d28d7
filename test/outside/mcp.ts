/**
 * The Model Context Protocol's own conformance tests for servers (`@modelcontextprotocol/conformance` 0.1.16) against an app
 * with `McpMiddleware`.
 *
 *   conformance server --scenario <name> ──▶ /mcp, whose routes are the tools that the scenario calls
 *
 * They need Node 22 or newer: NODE_BINARY names another one than this process's. The scenarios below are those about tools. All
 * others test capabilities that this server does not declare: prompts, resources, completion, logging, questions to the client.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { bytes, events, Framework, HttpError, text } from "framework";
import { McpMiddleware } from "framework/mcp";
import { z } from "zod";
import { fileBelow } from "./find.ts";

const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-error",
  "tools-call-with-progress",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/** Runs the scenarios with the program in the folder and prints their score. Resolves to the exit code, or undefined if there is none. */
export async function runMcp(folder: string): Promise<number | undefined> {
  const program = fileBelow(folder, "@modelcontextprotocol/conformance/dist/index.js");
  if (program === undefined) return undefined;
  const app = await toolsApp().start(0);
  const failed: string[] = [];
  try {
    for (const scenario of scenarios) if (!(await passes(program, scenario, `${app.url}/mcp`))) failed.push(scenario);
  } finally {
    await app.stop();
  }
  for (const name of failed) process.stdout.write(`✖ ${name}\n`);
  process.stdout.write(
    `Model Context Protocol: ${scenarios.length - failed.length} of ${scenarios.length} scenarios\n`,
  );
  return failed.length === 0 ? 0 : 1;
}

async function passes(program: string, scenario: string, url: string): Promise<boolean> {
  const args = [program, "server", "--url", url, "--scenario", scenario];
  const child = spawn(process.env["NODE_BINARY"] ?? process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (said += part));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) process.stdout.write(`${said.slice(-2_000)}\n`);
  return code === 0;
}

/** The tools that the scenarios call. */
function toolsApp(): Framework {
  const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => {}, error: () => {} } });
  app.use(new McpMiddleware({ info: { name: "outside", version: "1" } }));
  const one = Uint8Array.of(1);
  app.group("", { tool: { description: "A tool of the conformance tests" } }, (group) => {
    group.get("/text", { operationId: "test_simple_text" }, () => "This is a simple text response for testing.");
    group.get("/image", { operationId: "test_image_content", responses: { 200: bytes("image/png") } }, () => one);
    group.get("/audio", { operationId: "test_audio_content", responses: { 200: bytes("audio/wav") } }, () => one);
    group.get("/file", { operationId: "test_embedded_resource", responses: { 200: text("text/csv") } }, () => "a,b");
    group.get("/error", { operationId: "test_error_handling" }, () => {
      throw new HttpError(409, "This tool intentionally returns an error for testing");
    });
    group.get(
      "/progress",
      { operationId: "test_tool_with_progress", responses: { 200: events({ step: z.number() }) } },
      async function* () {
        for (const data of [0, 50, 100]) yield { event: "step", data };
      },
    );
  });
  return app;
}
