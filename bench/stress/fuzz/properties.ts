/**
 * Properties: the fast-check properties that stand beside the features, with more cases and a seed that is told.
 *
 *   FC_RUNS=N node --import seeded.js suite.mjs <compiled test file>     one process for each subject
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { grouped, root, type Measurement, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";

const framework = "src/framework/dist";
const devtools = "src/devtools/dist/server";

/** What is asserted, and the compiled tests that do. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  router: [`${framework}/router.test.js`],
  "path and query": [`${framework}/target.test.js`],
  "content type and cookies": [`${framework}/headers.test.js`],
  body: [`${framework}/body.test.js`],
  CORS: [`${framework}/middleware/cors.test.js`],
  traceparent: [`${framework}/opentelemetry/traceparent.test.js`, `${framework}/opentelemetry/tracestate.test.js`],
  ids: [`${framework}/middleware/request-id.test.js`],
  "log line": [`${framework}/middleware/log-line.test.js`],
  "SSE framing": [`${framework}/sse.test.js`],
  guard: [`${devtools}/guard.test.js`],
  redactor: [`${devtools}/redact.test.js`],
  snapshot: [`${devtools}/snapshot.test.js`],
  "recorder's transparency": [`${devtools}/spy.test.js`],
};

/** One measurement for each subject. */
export const properties: Readonly<Record<string, Measurement>> = Object.fromEntries(
  Object.entries(subjects).map(([name, files]) => [
    `property ${name}`,
    (settings: Settings): Promise<Row> => property(name, files, settings.amount(100_000, 10_000), settings),
  ]),
);

async function property(name: string, files: readonly string[], cases: number, settings: Settings): Promise<Row> {
  const report = join(root, ".build", "reports", `property-${name.replaceAll(/\W+/g, "-")}.json`);
  mkdirSync(join(root, ".build", "reports"), { recursive: true });
  rmSync(report, { force: true });
  const args = [
    "--enable-source-maps",
    `--import=${new URL("./seeded.js", import.meta.url).href}`,
    `--test-reporter=${join(root, "scripts", "count-reporter.mjs")}`,
    `--test-reporter-destination=${report}`,
    join(root, "scripts", "suite.mjs"),
    ...files.map((file) => join(root, file)),
  ];
  const env = { ...process.env, NODE_ENV: "test", FC_RUNS: String(cases), FC_SEED: String(settings.seed) };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"], timeout: 3_600_000 });
  const code = await new Promise<number | null>((resolve) => void child.once("exit", resolve));
  const { passed, failed, failures } = JSON.parse(readFileSync(report, "utf8")) as {
    passed: number;
    failed: number;
    failures: readonly string[];
  };
  const figure = `${grouped(cases)} cases a property, ${passed} tests passed, ${failed} failed ${failures.join("; ").slice(0, 500)}`;
  return {
    name: `properties of ${name}`,
    figure: figure.trim(),
    target: "0 failed",
    met: code === 0 && failed === 0 && passed > 0,
  };
}
