/**
 * Origin: the complete places of a value, and their order at the same time.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { occurrencesOf, valuesIn } from "./origin.ts";
import { callOf, sqlOf, traceOf } from "./traces.testkit.ts";

describe("occurrencesOf", () => {
  it("has part, call, leaf, path, value and time of each place", () => {
    const call = callOf(1, null, "A", { args: [], result: "Needle", startUs: 10, durationUs: 20 });
    const trace = traceOf([call], {
      path: "/needle",
      leaves: [sqlOf(0, null, "select needle", { startUs: 5, durationUs: 2 })],
      response: { headers: {}, body: "NEEDLE", bytes: 0 },
    });
    const [leaf] = trace.leaves;
    assert.deepEqual(occurrencesOf(trace, "nEEdle"), [
      { part: "request", call: null, leaf: null, path: "$.path", value: "/needle", us: 0 },
      { part: "statement", call: null, leaf, path: "$.statement", value: "select needle", us: 5 },
      { part: "result", call, leaf: null, path: "$", value: "Needle", us: 30 },
      { part: "response", call: null, leaf: null, path: "$.body", value: "NEEDLE", us: 100 },
    ]);
  });

  it("puts causes first at the same time: arguments from outside in, results from inside out", () => {
    const times = { startUs: 10, durationUs: 0, args: ["needle"], result: "needle" };
    const error = { name: "E", message: "needle" };
    const calls = [
      callOf(1, 0, "B", { ...times, depth: 1 }),
      callOf(0, null, "A", { ...times, depth: 0 }),
      callOf(2, 1, "C", { ...times, depth: 2, error }),
    ];
    const leaves = [
      { ...sqlOf(0, 2, "x", { startUs: 10, durationUs: 0 }), kind: "log", detail: { message: "needle" } },
      {
        ...sqlOf(1, 2, "needle", { startUs: 10, durationUs: 0 }),
        detail: { system: "", statement: "needle", parameters: [], rows: 1, result: ["needle"] },
      },
    ] as unknown as ReturnType<typeof sqlOf>[];
    const parts = occurrencesOf(traceOf(calls, { leaves, durationUs: 10 }), "needle");
    assert.deepEqual(
      parts.map(({ part, call }) => `${part} ${call?.bean}`),
      ["argument A", "argument B", "argument C", "statement C", "rows C", "leaf C", "error C", "result B", "result A"],
    );
  });

  it("has each place of the request, without a call", () => {
    const request = { pathParams: { id: "7" }, query: { id: ["7"] }, headers: {}, body: { id: 7 } };
    assert.deepEqual(
      occurrencesOf(traceOf([], { request }), "7").map(({ part, path }) => `${part} ${path}`),
      ["request $.params.id", "request $.query.id[0]", "request $.body.id"],
    );
  });

  it("has the request's headers after its other parts, and the response's headers before its body", () => {
    const headers = { "x-tenant": ["other", "Acme-7"], referer: ["/of/acme-7/x"] };
    const trace = traceOf([callOf(0, null, "A", { args: ["acme-7"] })], {
      request: { pathParams: {}, query: {}, headers, body: { of: "acme-7" } },
      response: { headers: { location: ["/acme-7"] }, body: "acme-7", bytes: 1 },
    });
    assert.deepEqual(
      occurrencesOf(trace, "acme-7").map(({ part, path, us }) => `${part} ${path} ${us}`),
      [
        "request $.body.of 0",
        "request $.headers.x-tenant[1] 0",
        "request $.headers.referer[0] 0",
        "argument args[0] 0",
        "response $.headers.location[0] 100",
        "response $.body 100",
      ],
    );
  });

  it("finds a number in a header only as a whole, and no number that HTTP counts", () => {
    const headers = {
      "content-length": ["42"],
      dnt: ["42"],
      "sec-gpc": ["42"],
      "upgrade-insecure-requests": ["42"],
      host: ["127.0.0.1:42"],
      "x-tenant": ["42"],
      traceparent: ["00-ab42-01"],
      "x-rate": ["-4.2", "14.2"],
    };
    const trace = traceOf([], {
      request: { pathParams: {}, query: {}, headers, body: null },
      response: { headers, body: null, bytes: 1 },
    });
    const paths = (text: string): readonly string[] =>
      occurrencesOf(trace, text).map(({ part, path }) => `${part} ${path}`);
    assert.deepEqual(paths("42"), ["request $.headers.x-tenant[0]", "response $.headers.x-tenant[0]"]);
    assert.deepEqual(paths("-4.2"), ["request $.headers.x-rate[0]", "response $.headers.x-rate[0]"]);
    assert.deepEqual([paths("4.2"), paths("127.0.0.1").length, paths("b42").length], [[], 2, 2]);
  });

  it("has rows and other leaves below a call at the time when they had ended", () => {
    const log = { ...sqlOf(1, null, "x", { startUs: 4, durationUs: null }), kind: "span", detail: { a: "needle" } };
    const sql = {
      ...sqlOf(0, null, "x", { startUs: 3, durationUs: 5 }),
      detail: { system: "", statement: "x", parameters: ["needle"], rows: 1, result: "needle" },
    };
    const leaves = [log, sql] as unknown as ReturnType<typeof sqlOf>[];
    assert.deepEqual(
      occurrencesOf(traceOf([], { leaves }), "needle").map(({ part, us }) => `${part} ${us}`),
      ["statement 3", "leaf 4", "rows 8"],
    );
  });

  it("finds a single character, a number and a flag only as a whole", () => {
    const args = ["ab", "b", 12, 2, true, null];
    const paths = (text: string): readonly string[] =>
      occurrencesOf(traceOf([callOf(0, null, "A", { args, result: 0 })], { path: "", status: 0 }), text).map(
        ({ part, path }) => `${part} ${path}`,
      );
    assert.deepEqual(
      [paths("b"), paths("2"), paths("TRUE"), paths("tru"), paths("null").slice(0, 2)],
      [["argument args[1]"], ["argument args[3]"], ["argument args[4]"], [], ["request $.body", "argument args[5]"]],
    );
  });
});

describe("valuesIn", () => {
  it("has the words of a text that are a whole value in another place, each once", () => {
    const trace = traceOf([callOf(0, null, "A", { args: ["p-7", 42, "oak table"], result: 3 })], {
      leaves: [sqlOf(0, 0, "select p-7 from oak where n = 42 or p-7 = 43 or n = 3")],
    });
    const [leaf] = trace.leaves;
    assert.ok(leaf?.kind === "sql");
    assert.deepEqual(valuesIn(leaf.detail.statement, leaf, trace), ["p-7", "42"]);
  });
});
