/**
 * Parsers: does the time grow with the input, or with its square?
 *
 * The growth is asserted beside each parser (the tests whose title says "linear"); this runs them once more, alone.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root, type Row } from "../rows.ts";

const files = ["router", "target", "headers", "opentelemetry/traceparent", "opentelemetry/tracestate"].map(
  (name) => `src/framework/dist/${name}.test.js`,
);

/** Runs every test of linear growth. */
export async function linear(): Promise<Row> {
  const args = ["--test-reporter=tap", "--test-name-pattern=linear", join(root, "scripts", "suite.mjs")];
  const targets = [...files, "src/devtools/dist/server/redact.test.js"].map((file) => join(root, file));
  const child = spawn(process.execPath, [...args, ...targets], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => void child.once("close", resolve));
  const passed = text.match(/^\s+ok \d+ - .*linear(?!.*# SKIP)/gm)?.length ?? 0;
  const failed = text.match(/^\s+not ok \d+ - .*linear/gm)?.length ?? 0;
  return {
    name: "parsers",
    figure: `${passed} parsers linear, ${failed} not`,
    target: "sixteen times the input, less than eighty times the time, at 16 and 256 KiB",
    met: code === 0 && failed === 0 && passed >= 7,
  };
}
