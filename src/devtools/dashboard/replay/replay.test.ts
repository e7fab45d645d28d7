/** Requesting a replay: the plan, the choice, the request, and the outcome. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReplayPlan } from "../../run/shapes.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { okResponse, runOf, stage } from "../testing/stage.ts";
import { callOf } from "../../run/traces.testkit.ts";
import { replaySlice } from "./replay.ts";

const plan: ReplayPlan = {
  instance: "i1",
  sequence: 1,
  notes: [],
  refusal: null,
  testRefusal: null,
  ticket: null,
  beans: [
    { bean: "Web", calls: 1, isDefault: false, refusal: "args[0] is a request's context" },
    { bean: "Service#2", calls: 1, isDefault: true, refusal: null },
  ],
};
const run = runOf(1, { request: { pathParams: { id: "1" }, query: { q: ["a b"] }, headers: {}, body: null } });

/** A stage with that run selected and its dialog open. */
async function opened(props: Parameters<typeof stage>[0] = {}, given: Partial<ReplayPlan> = {}) {
  const names: string[] = [];
  const found = { ...plan, ...given };
  const onRead = (name: string): unknown => (names.push(name), found);
  const made = await stage({ traces: [run], onRead, ...props });
  const [selection, replay] = [made.use(selectionSlice), made.use(replaySlice)];
  selection.selectTrace(run);
  await replay.open();
  return { ...made, names, selection, replay, panels: made.use(panelsSlice) };
}

describe("replaySlice", () => {
  it("reads the plan of the selected run and chooses its defaults", async () => {
    const { names, replay, panels } = await opened();
    assert.deepEqual([names, panels.dialog.value], [["replays/i1.1"], "replay"]);
    assert.deepEqual([replay.plan.value, [...replay.chosen.value], replay.failure.value], [plan, ["Service#2"], null]);
    assert.equal(replay.beans(), "Service%232");
  });

  it("says why a run cannot be replayed at all, and that a plan could not be read", async () => {
    const work = await opened({}, { refusal: "it is no request" });
    assert.equal(work.replay.failure.value, "it is no request");
    const none = await opened({ onRead: () => undefined });
    assert.equal(none.replay.failure.value, "no such thing");
  });

  it("sends the request again with the header, then compares the run with its replay", async () => {
    const made = await opened({
      mount: "/api",
      onSend: ({ arrive }, id) => (arrive(runOf(2, { correlationId: id })), okResponse),
    });
    await made.replay.run();
    const [{ request } = { request: undefined }] = made.sent;
    assert.deepEqual(
      [request?.method, request?.url, request?.headers],
      ["GET", "/api/x/1?q=a+b", [["X-Framework-Replay", "i1.1;beans=Service%232"]]],
    );
    const { marks, traceId } = made.selection;
    assert.deepEqual([marks.value, traceId.value], [{ a: "i1.1", b: "i1.2" }, "i1.2"]);
    assert.deepEqual([made.panels.detail.value, made.panels.dialog.value], ["compare", null]);
  });

  it("has an attempt at a job replayed by the application, then compares the two", async () => {
    const posted: unknown[] = [];
    const job = { id: "7", system: "memory", attempt: 1, attempts: 3, sentAt: 1, outcome: "dead" } as const;
    const attempt = runOf(1, { kind: "job", method: "RUN", path: "mail", route: null, job });
    const made = await opened({
      traces: [attempt],
      onPost: ({ arrive }, name, headers) => {
        posted.push(name, headers);
        arrive(runOf(2, { correlationId: headers["X-Framework-Dev"] ?? null }));
      },
    });
    made.selection.selectTrace(attempt);
    await made.replay.run();
    const headers = { "X-Framework-Replay": "i1.1;beans=Service%232", "X-Framework-Dev": "dev-1" };
    assert.deepEqual([posted, made.sent, made.replay.failure.value], [["replays/i1.1", headers], [], null]);
    assert.deepEqual(made.selection.marks.value, { a: "i1.1", b: "i1.2" });
  });

  it("can be stopped while it runs, and shows its work so far", async () => {
    const states: unknown[] = [];
    const made = await opened({
      onSend: ({ arrive }, id, { signal }) => {
        const { running } = made.replay;
        running.value?.abort();
        states.push(running.value !== null, signal.aborted);
        arrive(runOf(2, { correlationId: id, aborted: true }));
        return { ...okResponse, state: "stopped" };
      },
    });
    await made.replay.run();
    assert.deepEqual([states, made.replay.running.value], [[true, true], null]);
    assert.deepEqual(made.selection.marks.value, { a: "i1.1", b: "i1.2" });
  });

  it("shows the ticket if a token is required", async () => {
    const made = await opened({}, { ticket: "t-1" });
    await made.replay.run();
    assert.deepEqual(made.sent[0]?.request.headers, [["X-Framework-Replay", "i1.1;beans=Service%232;ticket=t-1"]]);
  });

  it("says why it was rejected, in the application's words", async () => {
    const responses = [
      { status: 409, text: '{"detail":"the run is not kept"}', said: "the run is not kept" },
      { status: 403, text: "Devtools rejected the request", said: "Devtools rejected the request" },
      { status: 200, text: "", said: "It responded with 200." },
    ];
    for (const { status, text, said } of responses) {
      const bytes = new TextEncoder().encode(text);
      const { replay, panels } = await opened({ onSend: () => ({ ...okResponse, status, bytes }) });
      await replay.run();
      assert.deepEqual([replay.failure.value, panels.dialog.value], [said, "replay"]);
    }
  });

  it("sends nothing if the request is not completely kept, or its route is gone", async () => {
    const hidden = { ...run, request: { ...run.request, pathParams: { id: "[redacted]" } } };
    const gone = { ...run, route: "/gone" };
    for (const [trace, said] of [
      [hidden, "Fill in the path parameter id."],
      [gone, "The application has no such route any more."],
    ] as const) {
      const { replay, sent } = await opened({ traces: [trace] });
      await replay.run();
      assert.deepEqual([replay.failure.value, sent], [said, []]);
    }
  });

  it("gives a call another outcome, all beans being real by default", async () => {
    const call = callOf(4, null, "Service#2", { result: 7 });
    const made = await opened({ onSend: ({ arrive }, id) => (arrive(runOf(2, { correlationId: id })), okResponse) });
    await made.replay.open(call);
    assert.deepEqual([[...made.replay.chosen.value], made.replay.whatIf.value], [[], { call: 4, returns: 7 }]);
    const { outcome } = made.replay;
    outcome.value = outcome.value && { ...outcome.value, value: "{" };
    await made.replay.run();
    assert.match(String(made.replay.failure.value), /^The value is not JSON: /);
    outcome.value = outcome.value && { ...outcome.value, value: "8", after: "5" };
    await made.replay.run();
    const given = Buffer.from('[{"call":4,"returns":8,"afterMs":5}]').toString("base64url");
    assert.deepEqual(
      made.sent.map(({ request }) => request.headers),
      [[["X-Framework-Replay", `i1.1;beans=;what-if=${given}`]]],
    );
    await made.replay.open();
    assert.deepEqual([made.replay.whatIf.value, [...made.replay.chosen.value]], [undefined, ["Service#2"]]);
  });

  it("profiles the run if that is chosen, and then shows why it took its time", async () => {
    const made = await opened({ onSend: ({ arrive }, id) => (arrive(runOf(2, { correlationId: id })), okResponse) });
    made.replay.chosen.value = new Set();
    made.replay.isProfiled.value = true;
    await made.replay.run();
    assert.deepEqual(made.sent[0]?.request.headers, [["X-Framework-Replay", "i1.1;beans=;profile=1"]]);
    assert.equal(made.panels.detail.value, "why");
  });
});
