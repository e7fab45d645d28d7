/**
 * Finished leaves: which parts are hidden at the end, and which remain when their run needs room.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Leaf } from "../../run/shapes.ts";
import { KnownSecrets } from "../../capture/secrets/known.ts";
import { withoutPayload, withoutSecrets } from "./finished.ts";

const base = { id: 0, parentId: null, error: null, startUs: 1, durationUs: 2 } as const;
const long = "x".repeat(100);
const cut = `${"x".repeat(80)}…`;
const evicted = { $evicted: true };

describe("withoutPayload", () => {
  test("keeps the head of a statement, and the number of rows and parameters", () => {
    const detail = { system: "sqlite", statement: long, parameters: [1, "a"], rows: 1, result: [{ a: 1 }] };
    const sql: Leaf = { ...base, kind: "sql", name: "SELECT", detail };
    const kept = { system: "sqlite", statement: cut, parameters: [evicted, evicted], rows: 1, result: evicted };
    assert.deepEqual(withoutPayload(sql), { ...sql, detail: kept });
  });

  test("leaves a text of 80 characters whole", () => {
    const detail = { level: "info", message: "x".repeat(80), fields: {} };
    assert.deepEqual(withoutPayload({ ...base, kind: "log", name: "info", detail }).detail, detail);
  });

  test("adds no result to a statement without one", () => {
    const detail = { system: "", statement: "DELETE", parameters: [], rows: null };
    const sql: Leaf = { ...base, kind: "sql", name: "DELETE", detail };
    assert.deepEqual(withoutPayload(sql), sql);
  });

  test("keeps the target and the response of a request, without headers", () => {
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

  test("keeps the key of a cache command, the message of a line, the destination of a message, the status of a span", () => {
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

describe("withoutSecrets", () => {
  const secrets = new KnownSecrets();
  for (const secret of ["hunter2-x", 1234567812345678n, "00f067aa0ba902b7", "true", 200, 4321]) secrets.add(secret);

  test("TRACE-041: hides secrets known by the end in the name, in all texts and values of the detail, and in the error", () => {
    const detail = { system: "s", statement: "select 'hunter2-x'", parameters: ["hunter2-x", [4321]], rows: 4321 };
    const sql: Leaf = { ...base, kind: "sql", name: "hunter2-x", detail };
    const error = { name: "Error", message: "no hunter2-x" };
    assert.deepEqual(withoutSecrets({ ...sql, error }, secrets), {
      ...base,
      kind: "sql",
      name: "[redacted]",
      error: { name: "Error", message: "no [redacted]" },
      detail: { system: "s", statement: "select '[redacted]'", parameters: ["[redacted]", ["[redacted]"]], rows: 4321 },
    });
    assert.deepEqual(
      withoutSecrets({ ...sql, name: "SELECT", detail: { ...detail, result: ["hunter2-x"] } }, secrets),
      {
        ...base,
        kind: "sql",
        name: "SELECT",
        detail: {
          system: "s",
          statement: "select '[redacted]'",
          parameters: ["[redacted]", ["[redacted]"]],
          rows: 4321,
          result: ["[redacted]"],
        },
      },
    );
  });

  test("keeps the facts of a leaf, such as a status and the ids of a span", () => {
    const leaves: readonly Leaf[] = [
      {
        ...base,
        kind: "http",
        name: "GET",
        detail: {
          method: "GET",
          url: "/",
          status: 4321,
          requestHeaders: {},
          responseHeaders: {},
          run: { origin: "http://hunter2-x", id: "hunter2-x.1" },
        },
      },
      { ...base, kind: "cache", name: "GET", detail: { system: "", command: "GET", key: "k", args: [], hit: true } },
      {
        ...base,
        kind: "span",
        name: "s",
        detail: { attributes: {}, status: "OK", spanId: "00f067aa0ba902b7", parentSpanId: "00f067aa0ba902b7" },
      },
    ];
    assert.deepEqual(
      leaves.map((leaf) => withoutSecrets(leaf, secrets)),
      leaves,
    );
  });
});
