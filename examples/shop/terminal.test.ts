/**
 * The shop in a terminal: the output of `framework-devtools` for programs has the shapes of the specification.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { BeanGraph } from "../../spec/graph.ts";
import { RouteList } from "../../spec/routes.ts";
import { SearchHit } from "../../spec/search.ts";
import { Trace } from "../../spec/trace.ts";
import { openShop, type OpenShop, removeFolder, newFolder } from "./testing.ts";

const program = join(
  dirname(createRequire(import.meta.url).resolve("@framework/devtools/package.json")),
  "dist/cli/terminal/main.js",
);

let folder: string;
let shop: OpenShop;

before(async () => {
  folder = await newFolder();
  shop = await openShop(folder, "terminal");
});
after(async () => {
  await shop.close();
  await removeFolder(folder);
});

/** The program's output, and its exit code. */
function run(...args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  const env = { ...process.env, FRAMEWORK_DEVTOOLS_URL: `http://localhost:${shop.app.port}` };
  const child = spawn(process.execPath, [program, ...args], { env });
  let [out, err] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (out += part.toString()));
  child.stderr.on("data", (part: Buffer) => (err += part.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

/** The differences between a value and a shape, or null without any. */
function departures(shape: object, value: unknown): unknown {
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(shape);
  return validate(value) ? null : validate.errors;
}

describe("framework-devtools on the shop", () => {
  it("prints runs, a run and the graph in the shapes of the specification", async () => {
    const sent = await run("send", "GET", "/products/p-0001", "--json");
    assert.deepEqual([sent.code, sent.err], [0, ""]);
    const trace: unknown = JSON.parse(sent.out);
    assert.equal(departures(Trace, trace), null);
    assert.deepEqual(JSON.parse((await run("run", "last", "--json")).out), trace);
    const hits = (await run("runs", "bean:ProductRepository", "--json")).out.trimEnd().split("\n");
    assert.deepEqual([hits.length, departures(SearchHit, JSON.parse(hits[0] ?? "null"))], [1, null]);
    const { graph, routes } = JSON.parse((await run("graph", "--json")).out) as { graph: unknown; routes: unknown };
    assert.deepEqual([departures(BeanGraph, graph), departures(RouteList, routes)], [null, null]);
  });

  it("shows the path, the statements and the line that threw", async () => {
    const { code, out } = await run("send", "GET", "/reports/sales/2026-01");
    assert.equal(code, 0);
    assert.match(out, /✗ threw TypeError: Reduce of empty array with no initial value/);
    assert.match(out, /sql 0 rows ← select o\.\*/);
    assert.match(out, /at mostOrdered examples\/shop\/services\/reports\.ts:33:\d+/);
  });

  it("fails if a service depends on a repository while that is forbidden", async () => {
    const base = join(folder, "graph.json");
    writeFileSync(base, (await run("graph", "--json")).out);
    const clean = await run("graph", "diff", base, "--forbid", "controller -> repository");
    assert.deepEqual(clean, { code: 0, out: "the graph has not changed\n", err: "" });
    const broken = await run("graph", "diff", base, "--forbid", "Search* -> repository");
    assert.equal(broken.code, 1);
    assert.match(broken.out, /✗ Search\* -> repository {2}forbids {2}SearchService → SearchRepository\n/);
  });
});
