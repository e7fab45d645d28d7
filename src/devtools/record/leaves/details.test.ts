/** Details: the result of a description of each kind, and which parts of it count as missing (LEAF). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeafKind } from "../../run/shapes.ts";
import { plainSnapshots } from "../../capture/plain-snapshots.testkit.ts";
import { beginRecording } from "../recorder.ts";
import { createRedactor } from "../../capture/redact.ts";
import { LeafValues } from "./leaf-values.ts";
import type { Description } from "./descriptions.ts";
import { kinds } from "./details.ts";

/** The results of descriptions in sequence, and the bytes of each. */
function filled(kind: LeafKind, ...given: readonly Description[]): { detail: object; name: string; bytes: number[] } {
  const redactor = createRedactor({});
  const snapshots = plainSnapshots(redactor);
  const recording = beginRecording(0, 100_000);
  const capture = new LeafValues(snapshots, redactor, recording).within(recording);
  const of = kinds[kind] as (typeof kinds)["sql"];
  const detail = of.empty();
  let before: Description = {};
  const bytes = given.map((one) => {
    const { budget } = recording;
    of.fill(detail, one, before, capture);
    before = one;
    return budget - recording.budget;
  });
  return { detail, name: of.nameOf(detail, capture), bytes };
}

const long = "x".repeat(100);
const word = "x".repeat(64);
const list = [1, "a"];

/** For each kind, the complete description, its result, and its name. */
const whole: { readonly [K in LeafKind]: readonly [given: Description, detail: object, name: string] } = {
  sql: [
    { system: long, statement: "insert 1", parameters: list, rows: [{ a: 1 }, { a: 2 }] },
    { system: word, statement: "insert 1", parameters: list, rows: 2, result: [{ a: 1 }, { a: 2 }] },
    "INSERT",
  ],
  http: [
    {
      method: long,
      url: "http://ada:pw@a.test:81/x?token=t0p",
      status: 100,
      run: { origin: "o", id: "i" },
      requestHeaders: { A: "1" },
      responseHeaders: "B: 2",
    },
    {
      method: word,
      url: "http://[redacted]@a.test:81/x?token=[redacted]",
      status: 100,
      requestHeaders: { a: ["1"] },
      responseHeaders: { b: ["2"] },
      run: { origin: "o", id: "i" },
    },
    `${word} a.test:81`,
  ],
  cache: [
    { system: long, command: `get${long}`, key: "k", args: list, hit: false },
    { system: word, command: `GET${"X".repeat(61)}`, key: "k", args: list, hit: false },
    `GET${"X".repeat(61)}`,
  ],
  log: [
    { level: long, message: "password=hunter2-x", fields: { a: 1, pin: "1234" } },
    { level: word, message: "password=[redacted]", fields: { a: 1, pin: "[redacted]" } },
    word,
  ],
  message: [
    { system: long, operation: long, destination: "d", body: null },
    { system: word, operation: word, destination: "d", body: null },
    word,
  ],
  span: [
    { attributes: { a: 1 }, status: "ERROR", spanId: "0123456789abcdef", parentSpanId: "f".repeat(16) },
    { attributes: { a: 1 }, status: "ERROR", spanId: "0123456789abcdef", parentSpanId: "f".repeat(16) },
    "",
  ],
};

describe("the detail of a leaf", () => {
  it("is empty for an empty description", () => {
    const empty = Object.keys(kinds).map((kind) => [kind, filled(kind as LeafKind).detail]);
    assert.deepEqual(Object.fromEntries(empty), {
      sql: { system: "", statement: "", parameters: [], rows: null },
      http: { method: "", url: "", status: null, requestHeaders: {}, responseHeaders: {}, run: null },
      cache: { system: "", command: "", key: "", args: [], hit: null },
      log: { level: "info", message: "", fields: {} },
      message: { system: "", operation: "", destination: "", body: null },
      span: { attributes: {}, status: "UNSET", spanId: null, parentSpanId: null },
    });
  });

  for (const [kind, [given, detail, name]] of Object.entries(whole)) {
    it(`has all parts of ${kind}, words of 64 characters at most`, () => {
      const made = filled(kind as LeafKind, given);
      assert.deepEqual([made.detail, made.name], [detail, name]);
      assert.ok(kind === "http" || (made.bytes[0] ?? 0) > 0);
    });

    it(`captures a repeated part of ${kind} once, and keeps a part that is not repeated`, () => {
      const made = filled(kind as LeafKind, given, given, {});
      assert.deepEqual([made.detail, made.bytes.slice(1)], [detail, [0, 0]]);
    });

    it(`leaves out parts of ${kind} with another type`, () => {
      const empty = filled(kind as LeafKind).detail;
      const wrongs = [7, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, true, null, undefined, "0123456789abcdeF", () => 1];
      for (const wrong of wrongs)
        for (const member of Object.keys(given)) {
          if (kind === "message" && member === "body") continue;
          if (typeof wrong === "string" && isTextOf(kind, member)) continue;
          if (wrong === 7 && member === "rows") continue;
          if (wrong === true && member === "hit") continue;
          const made = filled(kind as LeafKind, { [member]: wrong });
          assert.deepEqual([made.detail, made.bytes], [empty, [0]], `${member}: ${String(wrong)}`);
        }
    });
  }

  it("LEAF-003: counts rows, also none, and shows the given ones", () => {
    assert.deepEqual(filled("sql", { rows: 0 }).detail, { system: "", statement: "", parameters: [], rows: 0 });
    const rows: unknown[] = [1];
    assert.deepEqual(filled("sql", { rows: 3 }, { rows }).detail, {
      system: "",
      statement: "",
      parameters: [],
      rows: 1,
      result: [1],
    });
    assert.deepEqual(filled("sql", { parameters: { id: 1 } }).detail, {
      system: "",
      statement: "",
      parameters: [{ id: 1 }],
      rows: null,
    });
  });

  it("LEAF-006: shows any body of a message except a missing one", () => {
    for (const body of [0, "", false, null, [1], { a: 1 }])
      assert.deepEqual(filled("message", { body: "before" }, { body }).detail, {
        system: "",
        operation: "",
        destination: "",
        body,
      });
    assert.deepEqual(filled("message", { body: "before" }, {}).detail, {
      system: "",
      operation: "",
      destination: "",
      body: "before",
    });
  });

  it("has a status of three digits only", () => {
    const statuses = [99, 100, 599, 600].map((status) => Reflect.get(filled("http", { status }).detail, "status"));
    assert.deepEqual(statuses, [null, 100, 599, null]);
  });

  it("has the status OK or ERROR of a span, and ids of 16 hexadecimal digits", () => {
    const { detail } = filled("span", { status: "OK", spanId: "0".repeat(15), parentSpanId: "0".repeat(17) });
    assert.deepEqual(detail, { attributes: {}, status: "OK", spanId: null, parentSpanId: null });
    assert.equal(Reflect.get(filled("span", { status: "MAYBE" }).detail, "status"), "UNSET");
  });
});

const isTextOf = (kind: string, member: string): boolean =>
  ["system", "statement", "method", "url", "command", "key", "level", "message", "operation", "destination"].includes(
    member,
  ) ||
  (kind === "http" && member.endsWith("Headers"));

describe("the name of an outgoing request", () => {
  const names: Readonly<Record<string, string>> = {
    "https://a.test/x": "GET a.test",
    "HTTP://user@a.test?x@y": "GET a.test",
    "http://a.test#x": "GET a.test",
    "svn+ssh.1-x://a.test": "GET a.test",
    "/x/y": "GET",
    "x http://a.test": "GET",
    "1://a.test": "GET",
    [`http://${"h".repeat(200)}/`]: `GET ${"h".repeat(128)}`,
  };
  for (const [url, name] of Object.entries(names))
    it(`is ${name.slice(0, 20)} for ${url.slice(0, 30)}`, () => {
      assert.equal(filled("http", { method: "GET", url }).name, name);
    });

  it("is its host without a method", () => {
    assert.equal(filled("http", { url: "http://a.test" }).name, "a.test");
  });
});

describe("what a leaf is named by", () => {
  it("is the parts of its description that form its name", () => {
    assert.deepEqual(
      Object.entries(kinds).map(([kind, { isNamedBy }]) => [kind, ...isNamedBy]),
      [
        ["sql", "statement"],
        ["http", "method", "url"],
        ["cache", "command"],
        ["log", "level"],
      ].concat([["message", "operation"], ["span"]]),
    );
  });
});
