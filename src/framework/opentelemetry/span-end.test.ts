/** The final writes to a span (SPAN). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import type { Completion } from "../http/context.ts";
import { Faults } from "../metrics/faults.ts";
import { Exceptions } from "./exceptions.ts";
import { endSpan, type SpanEnd } from "./span-end.ts";

type Call = readonly [method: string, ...args: unknown[]];

/** The calls on a span at its end, in order. */
function callsOf(completion: Partial<Completion>, end: Partial<SpanEnd> = {}, isRecording = true): readonly Call[] {
  const calls: Call[] = [];
  const note = (method: string, result?: unknown) => [
    method,
    (...args: unknown[]): unknown => {
      calls.push([method, ...args]);
      return result;
    },
  ];
  const written = ["updateName", "setAttribute", "setStatus", "recordException", "end"].map((method) => note(method));
  const span = Object.fromEntries([...written, note("isRecording", isRecording)]) as unknown as Span;
  const faults = new Faults("the span");
  const whole = {
    status: 200,
    bytes: 0,
    durationMs: 1,
    aborted: false,
    error: undefined,
    headers: [],
    body: undefined,
  };
  const known = { name: undefined, route: undefined, endTime: undefined, isAdopted: false };
  endSpan(span, { ...whole, ...completion }, { ...known, ...end }, { faults, exceptions: new Exceptions(faults) });
  assert.equal(faults.count, 0);
  return calls;
}

const code = (status: number): Call => ["setAttribute", "http.response.status_code", status];
const failed = (type: string): readonly Call[] => [
  ["setStatus", { code: SpanStatusCode.ERROR }],
  ["setAttribute", "error.type", type],
];
const ended: Call = ["end", undefined];

describe("endSpan", () => {
  test("ends it with the given time", () => assert.deepEqual(callsOf({}, { endTime: 5 }), [code(200), ["end", 5]]));

  test("leaves the end of an adopted one to its owner", () =>
    assert.deepEqual(callsOf({}, { isAdopted: true }), [["isRecording"], code(200)]));

  test("writes nothing into an adopted one that has ended", () =>
    assert.deepEqual(callsOf({}, { isAdopted: true, name: "late" }, false), [["isRecording"]]));

  test("sets its final name, and the route, if there is one", () => {
    assert.deepEqual(callsOf({}, { name: "GET" }), [["updateName", "GET"], code(200), ended]);
    assert.deepEqual(callsOf({}, { name: "GET /a", route: "/a" }), [
      ["updateName", "GET /a"],
      ["setAttribute", "http.route", "/a"],
      code(200),
      ended,
    ]);
  });

  const named = new RangeError("odd");
  const nameless = Object.assign(new Error("odd"), { name: "" });
  const cases: readonly (readonly [string, Partial<Completion>, readonly Call[]])[] = [
    ["an abort before the head without a status", { status: 499, aborted: true }, failed("aborted")],
    ["an abort after the head with its status", { status: 200, aborted: true }, [code(200), ...failed("aborted")]],
    ["a 499 of the app's own with its status", { status: 499 }, [code(499)]],
    ["a 500 that nothing has thrown by its number", { status: 500 }, [code(500), ...failed("500")]],
    [
      "the thrown error by its name",
      { status: 500, error: named },
      [code(500), ...failed("RangeError"), ["recordException", named]],
    ],
    [
      "an error without a name by the status",
      { status: 503, error: nameless },
      [code(503), ...failed("503"), ["recordException", nameless]],
    ],
    [
      "a non-error by the status and its type",
      { status: 500, error: { name: "Odd" } },
      [code(500), ...failed("500"), ["recordException", { name: "object", message: "[object Object]" }]],
    ],
  ];
  for (const [what, completion, calls] of cases)
    test(`SPAN-013: sets ${what}`, () => assert.deepEqual(callsOf(completion), [...calls, ended]));
});
