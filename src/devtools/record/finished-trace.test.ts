/** Finished traces: secrets that are known by the end are hidden in the whole trace (TRACE-041). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, ErrorInfo, Leaf } from "../run/shapes.ts";
import { shownError, withoutSecrets, type UnnumberedTrace } from "./finished-trace.ts";
import { KnownSecrets } from "../capture/secrets/known.ts";
import { plainTools } from "../capture/plain-snapshots.testkit.ts";
import { beginRecording } from "./recorder.ts";

/** A trace with `text` in every place for the application's values, and `kept` in all others. */
function traceWith(text: string, kept: string): UnnumberedTrace {
  const error: ErrorInfo = {
    name: kept,
    message: text,
    fields: { at: text },
    stack: [{ name: "f", file: "a.ts", line: 1, column: 1, own: true }],
    excerpt: { file: "a.ts", line: 1, from: 1, lines: [text] },
    causes: [{ name: kept, message: text }],
  };
  const call: Call = {
    id: 0,
    parentId: null,
    depth: 0,
    bean: kept,
    declaredBy: kept,
    stereotype: "bean",
    method: kept,
    args: [text],
    params: [kept],
    result: { at: text },
    error: null,
    startUs: 1,
    durationUs: 2,
    async: false,
  };
  const leaf: Leaf = {
    id: 0,
    parentId: null,
    kind: "log",
    name: "info",
    startUs: 1,
    durationUs: 2,
    error: null,
    detail: { level: "info", message: text, fields: {} },
  };
  return {
    id: kept,
    correlationId: kept,
    method: "GET",
    path: `/x/${text}`,
    route: `/x/${kept}`,
    status: 200,
    startedAt: 1,
    durationUs: 2,
    aborted: false,
    run: 3,
    entered: [kept],
    callLimit: 5,
    request: {
      pathParams: { id: text },
      query: { q: [text] },
      headers: { a: [text] },
      body: [text],
      cookies: ["theme"],
    },
    response: {
      headers: { b: [text] },
      body: { c: text },
      bytes: 7,
      cookies: [{ name: "sid", attributes: [`Path=/${text}`] }],
    },
    calls: [call, { ...call, id: 1, error }],
    leaves: [leaf],
    error,
    contractIssues: [{ pointer: `/${text}`, message: text }],
    annotations: [{ name: kept, value: { by: text } }],
    replayOf: {
      instance: kept,
      sequence: 1,
      beans: [kept],
      notes: [],
      ended: { bean: "B", method: "m", reason: text },
    },
  };
}

describe("withoutSecrets", () => {
  const secrets = new KnownSecrets();
  secrets.add("hunter2-x");

  it("TRACE-041: hides a known secret in every place but ids, names and the route", () => {
    const shown = withoutSecrets(traceWith("hunter2-x", "hunter2-x"), secrets);
    assert.deepEqual(shown, traceWith("[redacted]", "hunter2-x"));
  });

  it("adds no missing members", () => {
    const { replayOf, ...trace } = traceWith("hunter2-x", "a");
    const response = { headers: {}, body: null, bytes: 0 };
    const bare: UnnumberedTrace = { ...trace, response, error: null };
    for (const key of ["annotations", "contractIssues"]) Reflect.deleteProperty(bare, key);
    const { response: shown, ...rest } = withoutSecrets(bare, secrets);
    assert.deepEqual(
      Object.keys(rest),
      Object.keys(bare).filter((key) => key !== "response"),
    );
    assert.deepEqual([Object.keys(shown), rest.error], [Object.keys(response), null]);
    assert.ok(replayOf !== undefined);
    const going = { ...bare, replayOf: { ...replayOf, ended: null } };
    assert.deepEqual(withoutSecrets(going, secrets).replayOf, going.replayOf);
  });

  it("is the same trace if nothing was hidden", () => {
    const trace = traceWith("hunter2-x", "a");
    assert.equal(withoutSecrets(trace, new KnownSecrets()), trace);
  });
});

describe("shownError", () => {
  it("TRACE-047: is the error as the first call that threw it shows it, otherwise the thrown value", () => {
    const recording = beginRecording(0, 100);
    const { errors } = plainTools();
    const [seen, other] = [new Error("seen"), new RangeError("other")];
    const error = { name: "Error", message: "as it was shown" };
    assert.deepEqual(shownError(other, recording, errors), { name: "RangeError", message: "other" });
    recording.thrown = new Map([[seen, { error } as Call]]);
    assert.equal(shownError(seen, recording, errors), error);
    assert.deepEqual(shownError(other, recording, errors), { name: "RangeError", message: "other" });
  });
});
