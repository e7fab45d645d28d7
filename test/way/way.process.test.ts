/**
 * The way of a request: the number of functions and of file changes must be small enough for a reader to follow, and the page
 * about it must match the code.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { root } from "../environment.ts";

const here = join(root, ".build", "test", "way");
const output = execFileSync(
  process.execPath,
  ["--conditions=modules", `--import=${join(here, "calls.js")}`, join(here, "requests.js")],
  // Coverage would describe the changed text at the positions of the sources.
  { cwd: root, encoding: "utf8", env: { ...process.env, NODE_V8_COVERAGE: "" } },
);
const ways = JSON.parse(output) as Readonly<Record<string, readonly string[]>>;

/** A line for each file in order, with the functions that are called there. */
function linesOf(calls: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let last = "";
  for (const call of calls) {
    const [file = "", name = ""] = call.split(" ");
    if (file !== last) lines.push(`${file}: ${name}`);
    else if (!lines.at(-1)?.endsWith(` ${name}`)) lines.push(`${lines.pop()} ${name}`);
    last = file;
  }
  return lines;
}

const page = readFileSync(join(root, "docs", "way-of-a-request.md"), "utf8");

describe("the way of a request", () => {
  const most: Readonly<Record<string, number>> = { "GET /hello": 28, "POST /people/7": 60, "GET /error": 40 };
  for (const [request, changes] of Object.entries(most))
    test(`${request} changes file at most ${changes} times`, () => {
      const lines = linesOf(ways[request] ?? []);
      assert.ok(lines.length > 10 && lines.length - 1 <= changes, `${lines.length - 1} times:\n${lines.join("\n")}`);
    });

  for (const request of ["GET /hello", "GET /error"])
    test(`docs/way-of-a-request.md describes ${request} correctly`, () => {
      const told = page.split(`<!-- ${request} -->`)[1]?.split("```")[1]?.split("\n").slice(1, -1);
      assert.deepEqual(told, linesOf(ways[request] ?? []));
    });

  test("docs/way-of-a-request.md has the counts of each request", () => {
    const rows = Object.entries(ways).map(([request, calls]) => {
      const files = new Set(calls.map((call) => call.split(" ")[0]));
      return `| ${request} | ${calls.length} | ${files.size} | ${linesOf(calls).length - 1} |`;
    });
    assert.deepEqual(page.match(/^\| (?:GET|POST) .*\|$/gm), rows);
  });
});
