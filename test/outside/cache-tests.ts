/**
 * The tests of HTTP caches at github.com/http-tests/cache-tests, against CacheMiddleware in front of a proxy to their server.
 *
 *   their client ──▶ CacheMiddleware ──▶ proxy ──▶ their server, which says what it has got
 *
 * The score has a row for each of their categories, next to the results that they publish. Their `undici` must be installed in
 * the folder, for their tests of interim responses: `npm install --ignore-scripts`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Framework } from "framework";
import { CacheMiddleware } from "framework/cache";
import { proxy } from "framework/proxy";
import { freePort } from "../free-port.ts";
import { fileBelow } from "./find.ts";

interface OutsideTest {
  readonly id: string;
  readonly kind?: "required" | "optimal" | "check";
  readonly browser_only?: boolean;
}
interface Category {
  readonly id: string;
  readonly tests: readonly OutsideTest[];
}
type Results = Readonly<Record<string, unknown>>;
interface Judge {
  determineTestResult(all: readonly Category[], id: string, results: Results): unknown;
  readonly resultTypes: Readonly<Record<"pass", unknown>>;
}

/** Why these fail here, by decision or because another part is not the cache. */
const expected: ReadonlyMap<string, string> = new Map([
  ["headers-store-Set-Cookie", "a response with a cookie is not stored"],
  ["other-set-cookie", "a response with a cookie is not stored"],
  ["invalidate-M-SEARCH", "the engine rejects the method"],
  ["invalidate-M-SEARCH-failed", "the engine rejects the method"],
  ["interim-not-cached", "the proxy drops interim responses"],
]);

/** Runs the tests in the folder and prints their score. Resolves to the exit code, or undefined if there are none. */
export async function runCacheTests(folder: string): Promise<number | undefined> {
  const client = fileBelow(folder, "test-engine/cli.mjs");
  if (client === undefined) return undefined;
  const home = dirname(dirname(client));
  const port = await freePort();
  const environment = { npm_config_protocol: "http", npm_config_port: String(port), npm_config_pidfile: "/dev/null" };
  const server = spawn(process.execPath, [join(home, "test-engine", "server", "server.mjs")], {
    env: { ...process.env, ...environment },
    stdio: "ignore",
  });
  const app = await cacheBefore(port).start(0);
  try {
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)))
      await new Promise((resolve) => setTimeout(resolve, 20));
    return await printed(home, await run(client, app.port));
  } finally {
    await app.stop({ graceMs: 0 });
    server.kill();
  }
}

function cacheBefore(port: number): Framework {
  return Framework.create({ host: "127.0.0.1", logger: { warn: () => {}, error: () => {} } })
    .use(new CacheMiddleware({ heuristic: true, target: "CDN-Cache-Control", storeTimeoutMs: 5_000 }))
    .any("/*rest", (ctx) => proxy(ctx, `http://127.0.0.1:${port}`));
}

async function run(client: string, port: number): Promise<Results> {
  const env = {
    ...process.env,
    npm_config_base: `http://localhost:${port}`,
    npm_config_id: "",
    npm_package_config_id: "",
  };
  const child = spawn(process.execPath, ["--no-warnings", client], { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
  await once(child, "close");
  return JSON.parse(said) as Results;
}

/** Prints a row for each category. Returns 1 if a required test fails that is not expected to. */
async function printed(home: string, own: Results): Promise<number> {
  const { default: all } = (await import(pathToFileURL(join(home, "tests", "index.mjs")).href)) as {
    default: Category[];
  };
  const judge = (await import(pathToFileURL(join(home, "test-engine", "lib", "results.mjs")).href)) as Judge;
  const published = readdirSync(join(home, "results")).filter((name) => name.endsWith(".json"));
  const columns = new Map<string, Results>([["framework", own]]);
  for (const name of ["nginx", "varnish", "squid", "trafficserver", "apache", "caddy"])
    if (published.includes(`${name}.json`))
      columns.set(name, JSON.parse(readFileSync(join(home, "results", `${name}.json`), "utf8")) as Results);
  const passes = (results: Results, id: string): boolean =>
    judge.determineTestResult(all, id, results) === judge.resultTypes.pass;
  const count = (tests: readonly OutsideTest[], results: Results): string =>
    (["required", "optimal"] as const)
      .map((kind) => tests.filter((one) => (one.kind ?? "required") === kind && one.browser_only !== true))
      .map((of) => `${of.filter(({ id }) => passes(results, id)).length}/${of.length}`)
      .join(" ");
  const print = (cells: readonly string[]): unknown =>
    process.stdout.write(`${cells.map((cell) => cell.padEnd(18)).join("")}\n`);
  print(["required optimal", ...columns.keys()]);
  for (const { id, tests } of all) print([id, ...[...columns.values()].map((results) => count(tests, results))]);
  const every = all.flatMap(({ tests }) => tests);
  print(["all", ...[...columns.values()].map((results) => count(every, results))]);
  const failed = every.filter(
    ({ id, kind = "required", browser_only: isOfBrowsers }) =>
      kind === "required" && isOfBrowsers !== true && !passes(own, id),
  );
  const reasonOf = (id: string): string | undefined =>
    own[id] === true ? "it passes, but a test that it depends on asks for what is not done here" : expected.get(id);
  for (const { id } of failed) process.stdout.write(`✖ ${id}: ${reasonOf(id) ?? JSON.stringify(own[id])}\n`);
  return failed.every(({ id }) => reasonOf(id) !== undefined) ? 0 : 1;
}
