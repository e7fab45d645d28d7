/** Analyses: the results for the page, which are the same after JSON. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { analyses, type Answers, type Questions } from "./analyses.ts";
import { differencesOf } from "./compare/differences.ts";
import { whatTheyShare } from "./explain/share.ts";
import { whyOf } from "./explain/why.ts";
import { formatRun } from "./run-file.ts";
import type { Trace } from "./shapes.ts";
import { callOf, graphOf, traceOf } from "./traces.testkit.ts";

const run = (sequence: number, region = "DE"): Trace =>
  traceOf([callOf(0, null, "Rates", { args: [region] })], { sequence, startedAt: sequence });

/** The answer as the page receives it. */
function answered<K extends keyof Answers>(name: K, question: Questions<Trace>[K]): Answers[K] {
  const answer = analyses[name](question);
  assert.deepEqual(JSON.parse(JSON.stringify(answer)), answer);
  return answer;
}

describe("analyses", () => {
  it("explain a run, and tell what runs share, as the terminal and agents do", () => {
    const others = [run(1), run(2)];
    assert.deepEqual(answered("why", { own: null, run: run(3), good: run(1), others }), whyOf(run(3), run(1), others));
    const set = [3, 4, 5, 6, 7, 8].map((n) => run(n, "FR"));
    const rest = Array.from({ length: 14 }, (_, at) => run(20 + at));
    const found = answered("share", { set, rest, without: ["status"], commits: { i1: "abc" } });
    assert.deepEqual(found, whatTheyShare(set, rest, { without: new Set(["status"]), commitOf: () => "abc" }));
    assert.deepEqual(
      found.differences.map(({ lift }) => lift),
      [null, 0],
    );
  });

  it("search runs, and tell the mistakes in a text", () => {
    const runs = [run(1), run(2, "FR")];
    assert.deepEqual(answered("search", { q: "arg.0=FR", runs, mine: [] }), {
      issues: [],
      found: { "i1.2": { calls: [0], leaves: [], parts: [] } },
    });
    assert.deepEqual(answered("search", { q: " ", runs, mine: [] }), { issues: [], found: null });
    const { issues, found } = answered("search", { q: "beam:x", runs, mine: [] });
    assert.deepEqual([issues.map(({ suggestion }) => suggestion), found], [["bean:x"], null]);
    assert.equal(answered("syntax", {})[0]?.name, "bean");
  });

  it("tell what differs between two runs", () => {
    assert.deepEqual(answered("compare", { a: run(1), b: run(2) }), differencesOf(run(1), run(2)));
  });

  it("write a run as Markdown and as spans of its services", () => {
    const { markdown, otlp } = answered("forms", { run: run(1), name: "shop", services: { Rates: "far" } });
    assert.match(markdown, /^## `GET /);
    assert.deepEqual(
      [...otlp.matchAll(/"service.name","value":\{"stringValue":"(\w+)"/g)].map(([, name]) => name),
      ["shop", "far"],
    );
  });

  it("read a saved run", () => {
    const saved = { trace: run(1), graph: graphOf({ Rates: [] }), entries: ["Rates"] };
    assert.deepEqual(answered("file", { text: formatRun(saved) }), { runs: [saved], behind: {}, leftOut: 0 });
    assert.throws(() => analyses.file({ text: "hello" }), { message: "The file is not JSON." });
  });

  it("read a file of spans, with the runs of other services that these led to, also behind each other", () => {
    const ids = { traceId: "a".repeat(32), startTimeUnixNano: "1000000", endTimeUnixNano: "9000000" };
    const of = (service: string, spanId: string, more: object) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
      scopeSpans: [{ scope: { name: "http" }, spans: [{ ...ids, spanId: spanId.repeat(16), ...more }] }],
    });
    const text = JSON.stringify({
      resourceSpans: [
        of("web", "1", { kind: 2, name: "GET /" }),
        of("pay", "2", { kind: 2, name: "POST /pay", parentSpanId: "1".repeat(16) }),
        of("bank", "3", { kind: 2, name: "POST /take", parentSpanId: "2".repeat(16) }),
      ],
    });
    const { runs, behind, leftOut } = answered("file", { text });
    assert.deepEqual([runs.map(({ entries }) => entries), leftOut], [[["web"]], 0]);
    assert.deepEqual(
      Object.entries(behind).map(([id, { name }]) => [id.slice(-4), name]),
      [
        ["11.1", "pay"],
        ["22.1", "bank"],
      ],
    );
  });
});
