/**
 * The Model Context Protocol's own conformance tests for servers (`@modelcontextprotocol/conformance` 0.2.0-alpha.12) against an
 * app with `McpMiddleware`, in both versions of the protocol.
 *
 *   conformance server --scenario <name> --spec-version <version> ──▶ /mcp, whose routes are the tools that the scenario calls
 *
 * They need Node 22 or newer: NODE_BINARY names another one than this process's. The scenarios below are those that a server of
 * tools without sessions can pass. `mcp-expected-failures.yml` has the few checks in them that it cannot, each with the reason.
 * The suite has other scenarios, about what this server does not declare:
 *
 *   resources, prompts, completion, logging      it has tools alone
 *   sampling, elicitation, input-required        a route asks its client nothing. With an unknown tool some of them pass
 *   tools-call-mixed-content                     the response of a route has one media type
 *   server-sse-polling                           needs a session that outlives its connection
 *   tasks, skills                                extensions
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytes, events, Framework, HttpError, text } from "framework";
import { McpMiddleware } from "framework/mcp";
import { z } from "zod";
import { root } from "../environment.ts";
import { fileBelow } from "./find.ts";

/** Those of both versions. */
const both = [
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];
const scenarios = {
  "2025-11-25": ["server-initialize", "server-session-lifecycle", "ping", ...both],
  "2026-07-28": [
    "server-stateless",
    "caching",
    "http-header-validation",
    "http-custom-header-server-validation",
    ...both,
  ],
};

/** Runs the scenarios with the program in the folder and prints their score. Resolves to the exit code, or undefined if there is none. */
export async function runMcp(folder: string): Promise<number | undefined> {
  const program = fileBelow(folder, "@modelcontextprotocol/conformance/dist/index.js");
  if (program === undefined) return undefined;
  const results = mkdtempSync(join(tmpdir(), "framework-mcp-"));
  const app = await toolsApp().start(0);
  let failed = 0;
  try {
    for (const [version, names] of Object.entries(scenarios)) {
      let passed = 0;
      for (const name of names) {
        const args = ["--url", `${app.url}/mcp`, "--spec-version", version, "--scenario", name, "-o", results];
        if (await passes([program, "server", ...args])) passed += 1;
        else process.stdout.write(`✖ ${version} ${name}\n`);
      }
      process.stdout.write(`Model Context Protocol ${version}: ${passed} of ${names.length} scenarios\n`);
      failed += names.length - passed;
    }
  } finally {
    await app.stop();
    rmSync(results, { recursive: true, force: true });
  }
  return failed === 0 ? 0 : 1;
}

async function passes(command: readonly string[]): Promise<boolean> {
  const args = [...command, "--expected-failures", join(root, "test/outside/mcp-expected-failures.yml")];
  const child = spawn(process.env["NODE_BINARY"] ?? process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (said += part));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) process.stdout.write(`${said.slice(-2_000)}\n`);
  return code === 0;
}

/** The schema whose keywords `json-schema-2020-12` looks for. */
const contact = {
  type: "object",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" } } } },
  properties: { address: { $ref: "#/$defs/address" }, phone: { type: "string" }, email: { type: "string" } },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { required: ["address"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;

/** The tools that the scenarios call. */
function toolsApp(): Framework {
  const app = Framework.create({
    host: "127.0.0.1",
    logger: { warn: () => {}, error: () => {} },
    compileSchema: () => () => true,
  });
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
    group.post("/contact", { operationId: "json_schema_2020_12_tool", body: contact }, () => "");
    const region = z.string().meta({ "x-mcp-header": "Region" });
    group.get("/region", { operationId: "region", query: z.object({ region }) }, ({ input }) => input.query.region);
    group.get("/log", { operationId: "test_logging_tool" }, () => "");
    const steps = { responses: { 200: events({ step: z.number() }) } };
    for (const operationId of ["test_tool_with_progress", "test_streaming_elicitation"])
      group.get(`/${operationId}`, { operationId, ...steps }, async function* () {
        for (const data of [0, 50, 100]) yield { event: "step", data };
      });
  });
  return app;
}
