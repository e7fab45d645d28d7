/**
 * withoutPayload: what stays of a leaf when its run has to make room.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Leaf } from "../../wire.ts";
import { withoutPayload } from "./finished.ts";

const base = { id: 0, parentId: null, error: null, startUs: 1, durationUs: 2 } as const;
const long = "x".repeat(100);
const cut = `${"x".repeat(80)}…`;
const evicted = { $evicted: true };

describe("withoutPayload", () => {
  test("keeps of a statement its head and how many rows and parameters there were", () => {
    const detail = { system: "sqlite", statement: long, parameters: [1, "a"], rows: 1, result: [{ a: 1 }] };
    const sql: Leaf = { ...base, kind: "sql", name: "SELECT", detail };
    const kept = { system: "sqlite", statement: cut, parameters: [evicted, evicted], rows: 1, result: evicted };
    assert.deepEqual(withoutPayload(sql), { ...sql, detail: kept });
  });

  test("adds no result to a statement that had none", () => {
    const detail = { system: "", statement: "DELETE", parameters: [], rows: null };
    const sql: Leaf = { ...base, kind: "sql", name: "DELETE", detail };
    assert.deepEqual(withoutPayload(sql), sql);
  });

  test("keeps of a request where it went and what came, without headers", () => {
    const detail = {
      method: "GET",
      url: `http://127.0.0.1/${long}`,
      status: 200,
      requestHeaders: { accept: ["*/*"] },
      responseHeaders: { date: ["now"] },
      run: null,
    };
    const http: Leaf = { ...base, kind: "http", name: "GET", detail };
    const url = `${detail.url.slice(0, 80)}…`;
    assert.deepEqual(withoutPayload(http).detail, { ...detail, url, requestHeaders: {}, responseHeaders: {} });
  });

  test("keeps of a cache's command its key, of a line its message, of a message its destination, of a span its status", () => {
    const leaves: readonly Leaf[] = [
      {
        ...base,
        kind: "cache",
        name: "SET",
        detail: { system: "redis", command: "SET", key: "k", args: ["v"], hit: null },
      },
      { ...base, kind: "log", name: "info", detail: { level: "info", message: long, fields: { a: 1 } } },
      { ...base, kind: "message", name: "send", detail: { system: "", operation: "send", destination: "d", body: 1 } },
      {
        ...base,
        kind: "span",
        name: "step",
        detail: { attributes: { a: 1 }, status: "OK", spanId: null, parentSpanId: null },
      },
    ];
    assert.deepEqual(
      leaves.map((leaf) => withoutPayload(leaf).detail),
      [
        { system: "redis", command: "SET", key: "k", args: [evicted], hit: null },
        { level: "info", message: cut, fields: {} },
        { system: "", operation: "send", destination: "d", body: evicted },
        { attributes: {}, status: "OK", spanId: null, parentSpanId: null },
      ],
    );
  });
});
