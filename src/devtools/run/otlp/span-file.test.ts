/** Files of spans: one export, or a line for each, and what is no such file. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { traceOf, callOf } from "../traces.testkit.ts";
import { isSpanFile, SpanFile } from "./span-file.ts";
import { readSpans } from "./spans.ts";
import { otlpText } from "./write.ts";

const one = otlpText(traceOf([callOf(0, null, "A")], { startedAt: 1_000 }), { name: "a" });
const two = otlpText(traceOf([callOf(0, null, "B")], { startedAt: 2_000, sequence: 2 }), { name: "b" });

describe("SpanFile", () => {
  it("has a run for each trace of a file with a line for each export, the newest first", () => {
    const file = new SpanFile(`${one}\n${two}`);
    assert.deepEqual([file.runs.map(({ name }) => name), file.leftOut], [["b", "a"], 0]);
  });

  it("has 100 runs at most, and counts the others", () => {
    const lines = Array.from({ length: 105 }, (_, at) => otlpText(traceOf([], { sequence: at + 1 }), { name: "a" }));
    const file = new SpanFile(lines.join(""));
    assert.deepEqual([file.runs.length, file.leftOut], [100, 5]);
  });

  const rejected: Readonly<Record<string, string>> = {
    "": "The file is empty.",
    "{}": "There are no resourceSpans in it.",
    '{"resourceSpans":[]}': "There is no valid span in it.",
    '{"resourceSpans":[]}\nno json': "Line 2 is not JSON.",
  };
  for (const [text, message] of Object.entries(rejected))
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(() => new SpanFile(text), { message });
    });
});

describe("isSpanFile", () => {
  it("is true for a text that begins like an export", () => {
    assert.deepEqual([one, ` { "resourceSpans" : []}`, '{"format":"framework-run/1"}', "[]"].map(isSpanFile), [
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("readSpans", () => {
  it("reads numbers, names of enums and attributes of any form, and rejects spans without ids or times", () => {
    const ids = { traceId: "A".repeat(32), spanId: "b".repeat(16), startTimeUnixNano: 5_000, endTimeUnixNano: "4000" };
    const values = {
      a: { stringValue: "x" },
      b: { intValue: "9007199254740993" },
      c: { doubleValue: "NaN" },
      d: { bytesValue: "AAEC" },
      e: { kvlistValue: { values: [{ key: "f", value: { boolValue: false } }] } },
      g: {},
    };
    const attributes = Object.entries(values).map(([key, value]) => ({ key, value }));
    const spans = [
      { ...ids, kind: "SPAN_KIND_CLIENT", status: { code: "STATUS_CODE_ERROR" }, attributes },
      { ...ids, spanId: "0".repeat(16) },
      { ...ids, traceId: "x".repeat(32) },
      { ...ids, startTimeUnixNano: -1 },
      null,
    ];
    const read = readSpans({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    assert.equal(read.rejected, 4);
    assert.deepEqual(read.spans, [
      {
        traceId: "a".repeat(32),
        spanId: "b".repeat(16),
        parentSpanId: null,
        name: "",
        kind: 3,
        startUs: 5,
        endUs: 5,
        attributes: { a: "x", b: "9007199254740993", c: "NaN", d: { $bytes: 3 }, e: { f: false }, g: null },
        events: [],
        status: { code: 2, message: "" },
        service: "unknown service",
        scope: "",
      },
    ]);
  });
});
