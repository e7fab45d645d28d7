/**
 * Runs tests published by others, from a folder with their sources. They are not part of this repository. You fetch them
 * first.
 *
 *   make outside DIR=<folder>      whatever of these lies in the folder, or in one of its folders
 *     **\/hurl/*.hurl    ──▶ RealWorld's API tests                  realworld.ts
 *     test/test.py       ──▶ the W3C's tests of Trace Context       trace-context.ts
 *     test-engine/cli.mjs ──▶ the tests of HTTP caches               cache-tests.ts
 *     http_test.ts       ──▶ h1spec, a test of HTTP/1.1 servers     h1spec.ts
 *     @modelcontextprotocol/conformance ──▶ that protocol's tests of servers   mcp.ts
 *
 * The last scores are in conformance/README.md. Exit code 0: no test failed. 1: some did. 2: nothing could be run.
 */
import { existsSync } from "node:fs";
import { runCacheTests } from "./cache-tests.ts";
import { runH1spec } from "./h1spec.ts";
import { runMcp } from "./mcp.ts";
import { runRealWorld } from "./realworld.ts";
import { runTraceContext } from "./trace-context.ts";

const [folder = ""] = process.argv.slice(2);

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  if (folder === "" || !existsSync(folder))
    throw new Error(`DIR is ${JSON.stringify(folder)}: write make outside DIR=<folder with fetched sources>`);
  const codes: number[] = [];
  for (const run of [runRealWorld, runTraceContext, runH1spec, runCacheTests, runMcp])
    codes.push(...[(await run(folder)) ?? []].flat());
  if (codes.length === 0)
    throw new Error(
      `${folder} holds no .hurl file, no test/test.py, no http_test.ts, no test-engine/cli.mjs and no @modelcontextprotocol/conformance: fetch the sources of RealWorld, w3c/trace-context, uNetworking/h1spec or http-tests/cache-tests, or install that package first`,
    );
  return Math.max(...codes);
}
