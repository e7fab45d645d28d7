/**
 * socketRuns: the recorded messages of one connection, in their order.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Trace } from "../../run/shapes.ts";
import { runOf } from "../testing/stage.ts";
import { socketRuns } from "./socket-runs.ts";

const handled = (run: number, event: string, body: Trace["request"]["body"], more: Partial<Trace> = {}): Trace => {
  const one = runOf(run, { run, kind: "websocket", event, connection: 1, startedAt: 1_000 + run, ...more });
  return { ...one, request: { ...one.request, body } };
};

describe("socketRuns", () => {
  test("lists the runs of this connection, oldest first, and counts the messages that are no longer kept", () => {
    const opened = runOf(9, { run: 1, startedAt: 1_000 });
    const [message, open] = [handled(3, "message", { text: "hello" }), handled(2, "open", null)];
    const others = [handled(4, "message", "x", { connection: 7 }), handled(5, "message", "x", { instance: "other" })];
    assert.deepEqual(socketRuns(opened, [...others, message, open, opened], { messages: 3, sentBytes: 62 }), {
      log: {
        items: [
          { number: 1, name: "open", text: "", value: null, time: "+2.00 ms", run: open },
          {
            number: 2,
            name: "message",
            text: '{"text":"hello"}',
            value: { text: "hello" },
            time: "+3.00 ms",
            run: message,
          },
        ],
        count: 2,
      },
      missing: 2,
      sentBytes: 62,
    });
  });

  test("counts nothing when the annotation is not the known one", () => {
    assert.deepEqual(socketRuns(runOf(9), [], "other"), { log: { items: [], count: 0 }, missing: 0, sentBytes: 0 });
  });
});
