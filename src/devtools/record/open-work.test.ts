/** Work outside of requests: its description while it runs, and its trace (TRACE). */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { WorkOrigin } from "framework";
import type { Call, Leaf } from "../run/shapes.ts";
import { KnownSecrets } from "../capture/secrets/known.ts";
import { plainTools } from "../capture/plain-snapshots.testkit.ts";
import type { RecordingResult } from "./recorder.ts";
import type { Replay } from "./replay/replay.ts";
import { OpenWork } from "./open-work.ts";

const nothing: RecordingResult = { calls: [], leaves: [] };
const over = { run: 4, endedAt: 12.3456 };

/** Work that begins at 10 ms of the process, 5 ms after the epoch. */
function begun<W>(t: TestContext, open: () => W): W {
  t.mock.method(Date, "now", () => 5);
  t.mock.method(performance, "now", () => 10);
  return open();
}

const plain = {
  id: null,
  correlationId: null,
  kind: "trace",
  method: "RUN",
  path: "job",
  route: null,
  status: 200,
  startedAt: 5,
  durationUs: 2345,
  aborted: false,
  calls: [],
  leaves: [],
  error: null,
  run: 4,
  request: { pathParams: {}, query: {}, headers: {}, body: null },
  response: { headers: {}, body: { a: 1 }, bytes: 0 },
};

describe("OpenWork.named", () => {
  it("describes its name, secrets hidden, and its start", (t) => {
    const work = begun(t, () => OpenWork.named("background", "job token=hunter2-x", plainTools()));
    assert.deepEqual(work.described(), {
      kind: "background",
      correlationId: null,
      method: "RUN",
      path: "job token=[redacted]",
      route: null,
      startedAt: 5,
    });
    assert.deepEqual([work.recording.startedAt, work.recording.budget], [10, 900_000]);
  });

  it("is a trace with its result and the result's memory", (t) => {
    const tools = plainTools();
    const work = begun(t, () => OpenWork.named("trace", "job", tools));
    const { bytes: resultBytes } = tools.snapshots.take({ a: 1 });
    assert.deepEqual(work.close({ value: { a: 1 } }, nothing, over), {
      trace: plain,
      bytes: resultBytes + 1024,
      payloadBytes: resultBytes,
      dropped: { count: 0, leaves: 0 },
    });
    const [calls, leaves] = [[{}, {}] as Call[], [{}] as Leaf[]];
    work.recording.budget -= 3 * 240 + 1_000;
    const { trace, bytes, payloadBytes } = work.close({ value: { a: 1 } }, { calls, leaves }, over);
    assert.deepEqual([trace.calls, trace.leaves], [calls, leaves]);
    assert.deepEqual([payloadBytes, bytes], [resultBytes + 1_000, resultBytes + 1_000 + 3 * 240 + 1_024]);
  });

  it("is a trace with its error, as shown by the first call that threw it", (t) => {
    const work = begun(t, () => OpenWork.named("trace", "job", plainTools()));
    const failed = { ...plain, status: 500, response: { headers: {}, body: null, bytes: 0 } };
    const { trace, payloadBytes } = work.close({ error: new RangeError("no") }, nothing, over);
    assert.deepEqual([trace, payloadBytes], [{ ...failed, error: { name: "RangeError", message: "no" } }, 0]);
    const thrown = new Error("no");
    const error = { name: "Error", message: "as it was shown" };
    work.recording.thrown = new Map([[thrown, { error } as Call]]);
    assert.deepEqual(work.close({ error: thrown }, nothing, over).trace, { ...failed, error });
    assert.equal(work.recording.thrown, undefined);
  });

  it("TRACE-054: names the bound of calls if there were more, and the replay that it belongs to", (t) => {
    const work = begun(t, () => OpenWork.named("trace", "job", plainTools()));
    work.recording.dropped.count = 1;
    const shown = { instance: "i", sequence: 1, beans: ["B"], notes: [], ended: null };
    work.recording.replay = { shown } as unknown as Replay;
    const { trace, dropped } = work.close({ value: { a: 1 } }, nothing, over);
    assert.deepEqual(
      [trace, dropped],
      [
        { ...plain, callLimit: 2, replayOf: shown },
        { count: 1, leaves: 0 },
      ],
    );
  });

  it("TRACE-041: hides values of its result that were hidden elsewhere, and the reverse", (t) => {
    const tools = plainTools();
    const work = begun(t, () => OpenWork.named("trace", "job of hunter2-x", tools));
    work.recording.secrets.add("hunter2-x");
    tools.snapshots.within(new KnownSecrets());
    const value = { said: "hunter2-x, hunter2-y", password: "hunter2-y" };
    const { trace } = work.close({ value }, nothing, over);
    assert.deepEqual(
      [trace.path, trace.response.body],
      ["job of [redacted]", { said: "[redacted], [redacted]", password: "[redacted]" }],
    );
  });

  it("never has negative room or duration", (t) => {
    const tools = plainTools({ traceBytes: 10, snapshotBytes: 11 });
    const work = begun(t, () => OpenWork.named("trace", "job", tools));
    const { trace } = work.close({ value: 1 }, nothing, { run: 1, endedAt: 9 });
    assert.deepEqual([work.recording.budget, trace.durationUs], [0, 0]);
  });
});

describe("OpenWork.ofSocket", () => {
  const ctx = { url: "/rooms/hunter2-x", route: "/rooms/{token}", params: { token: "hunter2-x" } };
  const origin = { ctx, event: "message", data: '{"password":"hunter2-y","to":7}' } as unknown as WorkOrigin;

  it("shows event, connection, parameters and message, secrets hidden, and counts the message", (t) => {
    const tools = plainTools();
    const work = begun(t, () => OpenWork.ofSocket(origin, 3, tools));
    const { bytes } = tools.snapshots.take({ password: "hunter2-y", to: 7 });
    assert.equal(work.recording.budget, 900_000 - bytes);
    assert.deepEqual(work.described(), {
      kind: "websocket",
      correlationId: null,
      method: "WS",
      path: "/rooms/[redacted]",
      route: "/rooms/{token}",
      startedAt: 5,
    });
    const { trace, payloadBytes } = work.close({ value: "hunter2-x hunter2-y" }, nothing, over);
    assert.deepEqual(trace, {
      ...plain,
      kind: "websocket",
      method: "WS",
      path: "/rooms/[redacted]",
      route: "/rooms/{token}",
      event: "message",
      connection: 3,
      request: { pathParams: { token: "[redacted]" }, query: {}, headers: {}, body: { password: "[redacted]", to: 7 } },
      response: { headers: {}, body: "[redacted] [redacted]", bytes: 0 },
    });
    assert.ok(payloadBytes > bytes);
  });

  it("has no route if its request has none", (t) => {
    const other = { ...origin, ctx: { url: "/x", route: undefined, params: {} } } as unknown as WorkOrigin;
    const { route, path } = begun(t, () => OpenWork.ofSocket(other, 3, plainTools())).described();
    assert.deepEqual([route, path], [null, "/x"]);
  });
});
