/**
 * read-run: a run survives its file, and only runs are accepted.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Leaf } from "./shapes.ts";
import { callOf, graphOf, traceOf } from "./traces.testkit.ts";
import { isServiceRun, parseRun } from "./read-run.ts";
import { formatRun, type SavedRun } from "./run-file.ts";

const run: SavedRun = {
  trace: traceOf([callOf(0, null, "Web"), callOf(1, 0, "Db", { error: { name: "E", message: "m" } })], {
    request: {
      pathParams: { id: "1" },
      query: { q: ["a"] },
      headers: { accept: ["*/*"] },
      body: { n: 1 },
      cookies: ["sid"],
    },
    response: { headers: {}, body: null, bytes: 0, cookies: [{ name: "sid", attributes: ["Path=/"] }] },
    error: { name: "E", message: "m" },
    annotations: [{ name: "cache", value: { hit: true } }],
    ...({ kind: "websocket", event: "message", connection: 3 } as const),
  }),
  graph: graphOf({ Web: ["Db"], Db: [] }),
  entries: ["Web"],
};
const broken = (change: (value: Record<string, unknown>) => void): string => {
  const value = JSON.parse(formatRun(run)) as Record<string, unknown>;
  change(value);
  return JSON.stringify(value);
};

describe("parseRun", () => {
  test("reads back a written run", () => {
    const again = parseRun(formatRun(run));
    assert.deepEqual({ ...again, format: undefined }, { ...run, format: undefined });
  });

  test("reads a leaf of each kind, and none with another kind's detail", () => {
    const details: readonly Pick<Leaf, "kind" | "detail">[] = [
      { kind: "sql", detail: { system: "sqlite", statement: "select 1", parameters: [], rows: 1 } },
      {
        kind: "http",
        detail: { method: "GET", url: "http://a/", status: null, requestHeaders: {}, responseHeaders: {}, run: null },
      },
      { kind: "cache", detail: { system: "redis", command: "GET", key: "a", args: [], hit: null } },
      { kind: "log", detail: { level: "info", message: "m", fields: {} } },
      { kind: "message", detail: { system: "kafka", operation: "send", destination: "t", body: null } },
      { kind: "span", detail: { attributes: {}, status: "UNSET", spanId: null, parentSpanId: null } },
    ];
    const head = { parentId: null, name: "x", error: null, startUs: 0, durationUs: 1 };
    const leaves = details.map((one, id) => ({ id, ...head, ...one }) as Leaf);
    const saved = (list: readonly object[]): string => broken((v) => (v["trace"] = { ...run.trace, leaves: list }));
    assert.deepEqual(parseRun(saved(leaves)).trace.leaves, leaves);
    for (const [at, leaf] of leaves.entries())
      assert.throws(() => parseRun(saved([{ ...leaf, detail: leaves[(at + 1) % leaves.length]?.detail }])));
  });

  test("says what is wrong with a file without a run", () => {
    const said = (text: string): string => {
      try {
        parseRun(text);
        return "read";
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    };
    assert.deepEqual(
      [
        "{",
        "[]",
        '{"format":"other/1"}',
        '{"format":"framework-run/9"}',
        broken((v) => delete v["graph"]),
        broken((v) => (v["entries"] = [1])),
        broken((v) => (v["trace"] = { ...run.trace, calls: [{ id: 0 }] })),
        broken((v) => (v["trace"] = { ...run.trace, durationUs: null })),
        broken((v) => (v["graph"] = { ...run.graph, nodes: [null] })),
        broken((v) => (v["trace"] = { ...run.trace, annotations: [{ name: 1, value: 1 }] })),
        broken((v) => (v["trace"] = { ...run.trace, response: { ...run.trace.response, cookies: [{ name: "a" }] } })),
      ].map(said),
      [
        "The file is not JSON.",
        "The file is not a saved run.",
        "The file is not a saved run.",
        "The file is a framework-run/9; this page reads framework-run/1.",
        ...Array<string>(7).fill("The file is a saved run, but parts of it are missing or damaged."),
      ],
    );
  });
});

describe("isServiceRun", () => {
  test("is true for a run with its name and its graph, and nothing less", () => {
    const { trace, graph } = run;
    const whole = { name: "post", trace, graph };
    const others = [[], null, { ...whole, name: 1 }, { ...whole, trace: {} }, { ...whole, graph: { nodes: [{}] } }];
    assert.deepEqual([whole, ...others].map(isServiceRun), [true, false, false, false, false, false]);
  });
});
