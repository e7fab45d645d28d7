/**
 * errorKinds: the errors of runs, by message.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Trace } from "../shapes.ts";
import { callOf, traceOf } from "../traces.testkit.ts";
import { errorKinds } from "./errors.ts";

const frame = { name: "place", file: "src/orders.ts", line: 7, column: 3, own: true };
const error = { name: "RangeError", message: "no total" };

const runOf = (sequence: number, more: Partial<Trace>): Trace =>
  traceOf([callOf(0, null, "Orders", { error: more.error ? { ...error, stack: [frame] } : null })], {
    sequence,
    startedAt: sequence,
    ...more,
  });

describe("errorKinds", () => {
  test("has the newest run, the count and the line of each message, the newest first", () => {
    const kinds = errorKinds([
      runOf(1, { error, status: 500 }),
      runOf(2, { status: 503 }),
      runOf(3, { status: 404 }),
      runOf(4, { error, status: 500 }),
      runOf(5, { status: 502 }),
      runOf(6, { error: { name: "NotFoundError", message: "no order 7" }, status: 404 }),
      runOf(7, { error: { name: "Error", message: "a stream that broke" }, status: 200 }),
    ]);
    assert.deepEqual(
      kinds.map(({ message, run, count, frame: at }) => [message, run.sequence, count, at]),
      [
        ["Error: a stream that broke", 7, 1, null],
        ["Status 502 without an error", 5, 1, null],
        ["RangeError: no total", 4, 2, frame],
        ["Status 503 without an error", 2, 1, null],
      ],
    );
  });
});
