/**
 * Properties: the fast-check properties next to the features, with more cases and a printed seed.
 *
 *   FC_RUNS=N node --test --import seeded.js <compiled test files>     one runner for each subject
 *
 * The files' other tests run too, including those of every parser's linear growth.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../environment.ts";
import { grouped, sampleOf, type Figure, type Group } from "../rows.ts";
import type { Settings } from "../settings.ts";

const framework = "src/framework/dist";
const devtools = "src/devtools/dist";

/** The properties, and the compiled tests that assert them. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  router: [`${framework}/routing/router`],
  "path and query": [`${framework}/http/target`],
  "content type and cookies": [`${framework}/http/headers`],
  body: [`${framework}/http/body`],
  CORS: [`${framework}/middleware/cors/cors`],
  traceparent: [`${framework}/opentelemetry/traceparent`, `${framework}/opentelemetry/tracestate`],
  ids: [`${framework}/middleware/request-id/request-id`],
  "log line": [`${framework}/middleware/log/log-line`],
  "SSE framing": [`${framework}/http/sse`],
  guard: [`${devtools}/serve/guard`],
  redactor: [`${devtools}/capture/redact`],
  snapshot: [`${devtools}/capture/snapshot`],
  "recorder's transparency": [`${devtools}/record/spy/spy`],
  "codings, tags and dates": [`${framework}/internal/negotiation.properties`],
  "addresses and buckets": [`${framework}/rate-limit/network.properties`],
};

/** Properties with a file, a socket or a key for each case: a tenth of the cases. */
const slowSubjects: Readonly<Record<string, readonly string[]>> = {
  "cookies, set and signed": [`${framework}/http/cookies.properties`],
  "multipart bodies": [`${framework}/multipart/multipart.properties`],
  "ranges and conditions": [`${framework}/static/ranges.properties`],
  "WebSocket frames": [`${framework}/websocket/frames.properties`],
  "calls of tools": [`${framework}/mcp/calls.properties`],
};

/** One group for each subject. The short form runs two, since `make test` runs all of them with fewer cases. */
export const properties = (settings: Settings): readonly Group[] => {
  const { seed, amount } = settings;
  const groups = [
    ...groupsOf(subjects, amount(100_000, 500), seed),
    ...groupsOf(slowSubjects, amount(10_000, 50), seed),
  ];
  return sampleOf(groups, settings, 2);
};

const groupsOf = (named: typeof subjects, cases: number, seed: number): readonly Group[] =>
  Object.entries(named).map(([name, files]) => ({
    [`properties of ${name}`]: () => property(name, files, cases, seed),
  }));

async function property(name: string, files: readonly string[], cases: number, seed: number): Promise<Figure> {
  const report = join(root, ".build", "reports", `property-${name.replaceAll(/\W+/g, "-")}.tap`);
  mkdirSync(join(root, ".build", "reports"), { recursive: true });
  rmSync(report, { force: true });
  const args = [
    "--test",
    "--enable-source-maps",
    "--conditions=modules",
    `--import=${new URL("./seeded.js", import.meta.url).href}`,
    "--test-reporter=tap",
    `--test-reporter-destination=${report}`,
    ...files.map((file) => join(root, `${file}.test.js`)),
  ];
  const env = { ...process.env, NODE_ENV: "test", FC_RUNS: String(cases), FC_SEED: String(seed) };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"], timeout: 3_600_000 });
  const code = await new Promise<number | null>((resolve) => void child.once("exit", resolve));
  const text = readFileSync(report, "utf8");
  const [passed, failed] = ["pass", "fail"].map((word) =>
    Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(text)?.[1]),
  );
  const failures = [...text.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, title]) => title);
  return {
    figure: `${grouped(cases)} cases a property, ${passed} tests passed, ${failed} failed ${failures.join("; ").slice(0, 500)}`,
    target: "0 failed",
    met: code === 0 && failed === 0 && Number(passed) > 0,
  };
}
