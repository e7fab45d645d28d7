/**
 * Documents: a run in columns, and each line of its text.
 *
 * Spec: spec/search.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json, Leaf } from "../shapes.ts";
import { documentOf, KEYS_END, OWNER_END, PART_END } from "./document.ts";
import { callOf, runOf } from "./runs.testkit.ts";

/** The lines of a text, with readable marks: `c0|arg|.id|7`. */
const linesOf = (text: string): readonly string[] =>
  text
    .slice(1, -1)
    .split("\n")
    .map((line) => [OWNER_END, PART_END, KEYS_END].reduce((all, mark) => all.replaceAll(mark, "|"), line));

/** The lines of an argument. */
const ofArgument = (arg: Json): readonly string[] =>
  linesOf(documentOf(runOf({ calls: [callOf(0, "A", "b", { args: [arg] })] })).text)
    .filter((line) => line.startsWith("c0|arg|"))
    .map((line) => line.slice("c0|arg|".length));

const error = { name: "TypeError", message: "No", causes: [{ name: "Cause", message: "Why" }] };
const leaf = {
  id: 4,
  parentId: 3,
  kind: "sql",
  name: "SELECT",
  startUs: 1,
  durationUs: 5,
  error: { name: "Locked", message: "by X" },
  detail: { system: "", statement: "SELECT 1", parameters: [7], rows: null },
} as Leaf;

describe("documentOf", () => {
  it("has every line of a run, in lower case, with a break before each and after the last", () => {
    const { text } = documentOf(
      runOf({
        id: "R-1",
        method: "POST",
        status: 201,
        error,
        contractIssues: [{ pointer: "/a", message: "Must" }],
        request: {
          pathParams: { Id: "7" },
          query: { q: ["A", "b"] },
          headers: { Accept: ["X", "Y"] },
          body: { i: "T" },
        },
        response: { headers: { etag: ["E"] }, body: [true], bytes: 1 },
        calls: [
          callOf(0, "Own", "Find", { args: ["A", 2], params: ["name", ""], result: "R" }),
          callOf(1, "Sub", "find", { declaredBy: "Base", result: "not shown", error: { name: "E", message: "m" } }),
        ],
        leaves: [leaf],
      }),
    );
    assert.deepEqual([text.at(0), text.at(-1)], ["\n", "\n"]);
    assert.deepEqual(linesOf(text), [
      "|run|.method|post",
      "|run|.status|201",
      "|run|.id|r-1",
      "|path||/orders/7",
      "|run|.route|/orders/{id}",
      "|param|.id|7",
      "|query|.q|a",
      "|query|.q|b",
      "|header|.accept|x",
      "|header|.accept|y",
      "|header|.etag|e",
      "|body|.i|t",
      "|response|.0|true",
      "|error|.name|typeerror",
      "|error|.message|no",
      "|error|.name|cause",
      "|error|.message|why",
      "|contract|./a|must",
      "c0|bean||own",
      "c0|method||find",
      "c0|arg|.name|a",
      "c0|arg|.1|2",
      "c0|result||r",
      "c1|bean||sub base",
      "c1|method||find",
      "c1|error|.name|e",
      "c1|error|.message|m",
      "l4|sql|.name|select",
      "l4|sql|.system|",
      "l4|sql|.statement|select 1",
      "l4|sql|.parameters.0|7",
      "l4|sql|.rows|null",
      "l4|error|.name|locked",
      "l4|error|.message|by x",
    ]);
    const plain = linesOf(documentOf(runOf({ route: null })).text);
    assert.deepEqual(
      plain.filter((line) => line.startsWith("|run|") || line.includes("error")),
      ["|run|.method|get", "|run|.status|200", "|run|.id|req-1"],
    );
  });

  it("has the properties of a run in columns", () => {
    const run = runOf({
      correlationId: "page",
      kind: "trace",
      aborted: true,
      error,
      calls: [callOf(0, "A", "b", { declaredBy: "Base" }), callOf(1, "B", "c", { durationUs: null, error })],
      leaves: [leaf],
    });
    const document = documentOf(run);
    assert.deepEqual(document, {
      text: document.text,
      instance: "b7a1",
      sequence: 1,
      id: "req-1",
      correlationId: "page",
      kind: "trace",
      method: "GET",
      path: "/orders/7",
      route: "/orders/{id}",
      status: 200,
      startedAt: 1764e9,
      durationUs: 12e3,
      aborted: true,
      failed: true,
      broken: false,
      calls: [
        { id: 0, bean: "A", declaredBy: "Base", method: "b", durationUs: 1e3, failed: false },
        { id: 1, bean: "B", declaredBy: "B", method: "c", durationUs: null, failed: true },
      ],
      leaves: [{ id: 4, kind: "sql" }],
    });
  });

  it("has failed with a status of 500 or more, or with an error, and is broken with an issue", () => {
    const flags = [{}, { status: 499 }, { status: 500 }, { error }, { contractIssues: [] }].map((more) => {
      const { failed, broken } = documentOf(runOf(more));
      return [failed, broken];
    });
    assert.deepEqual(flags, [
      [false, false],
      [false, false],
      [true, false],
      [true, false],
      [false, false],
    ]);
    assert.equal(documentOf(runOf({ contractIssues: [{ pointer: "", message: "" }] })).broken, true);
    const { leaves, kind, route } = documentOf(runOf({ route: null }));
    assert.deepEqual([leaves, kind, route], [[], "request", null]);
  });

  it("has each value at its own keys, and for a form the value that it represents", () => {
    const values: readonly (readonly [Json, readonly string[]])[] = [
      [{ a: [null, { b: false }] }, [".0.a.0|null", ".0.a.1.b|false"]],
      [{ $$own: 1, $date: "2026" }, [".0.$own|1", ".0|2026"]],
      [{ $map: [["k", 1], [2, { a: 3 }], [{ x: 1 }, 4], "odd", ["lone"]] }, [".0.k|1", ".0.2.a|3", ".0|4"]],
      [{ $map: "no list" }, [".0|no list"]],
      [{ $set: ["a"] }, [".0.0|a"]],
      [{ $string: "abc", $truncated: 9 }, [".0|abc"]],
      [{ "a\nb": "c\u0000\td" }, [".0.a b|c d"]],
    ];
    for (const [value, lines] of values) assert.deepEqual(ofArgument(value), lines, JSON.stringify(value));
    const counts = "$truncated $undefined $pending $circular $evicted $thenable $bytes $private $hidden".split(" ");
    for (const form of counts) assert.deepEqual(ofArgument({ [form]: 7 }), [], form);
  });

  it("ends if a value is deeper than any written one", () => {
    const deep = (levels: number): Json => (levels === 0 ? "end" : { a: deep(levels - 1) });
    const lists = (levels: number): Json => (levels === 0 ? "end" : [lists(levels - 1)]);
    const maps = (levels: number): Json => (levels === 0 ? "end" : { $map: [["k", maps(levels - 1)]] });
    const own = (levels: number): Json => (levels === 0 ? "end" : { $$a: own(levels - 1) });
    const sets = (levels: number): Json => (levels === 0 ? "end" : { $set: sets(levels - 1) });
    for (const nested of [deep, lists, maps, own, sets])
      assert.deepEqual(
        [65, 66].map((levels) => ofArgument(nested(levels)).length),
        [1, 0],
        nested.name,
      );
  });
});
