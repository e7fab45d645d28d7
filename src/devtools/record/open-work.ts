/**
 * Work: a run outside of requests, such as a job of a queue, the application's background work, or a handler of a
 * WebSocket.
 *
 *   open ──▶ its code runs, the recorder fills the calls ──▶ close(outcome) ──▶ Trace of a kind of its own
 *
 * Spec: spec/trace.md
 */
import type { WorkOrigin } from "framework";
import type { Json, Started, Trace, TraceRequest } from "../run/shapes.ts";
import { messageBody } from "../capture/http/bodies.ts";
import { paramsOf, shownParams } from "../capture/http/fields.ts";
import type { UnderWay } from "./in-flight.ts";
import { beginRecording, type RecordingResult, type Recording } from "./recorder.ts";
import { shownError, withoutSecrets, type FinishedTrace, type TraceTools } from "./finished-trace.ts";

/** Used in place of a request's method. */
const WORK_METHOD = "RUN";
const SOCKET_METHOD = "WS";

/** The end of a piece of work. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface Work extends Pick<Trace, "method" | "path" | "route" | "event" | "connection"> {
  readonly kind: NonNullable<Trace["kind"]>;
  readonly request: TraceRequest;
}

const noRequest: TraceRequest = { pathParams: {}, query: {}, headers: {}, body: null };

/** One piece of work in progress. */
export class OpenWork implements UnderWay {
  readonly recording: Recording;
  run = 0;
  place = 0;
  readonly #work: Work;
  readonly #tools: TraceTools;
  readonly #startedAt: number = Date.now();
  readonly #budget: number;

  private constructor(tools: TraceTools, workOf: (recording: Recording) => Work) {
    this.#tools = tools;
    this.#budget = Math.max(0, tools.traceBytes - tools.snapshotBytes);
    this.recording = beginRecording(performance.now(), this.#budget);
    tools.snapshots.within(this.recording.secrets);
    this.#work = workOf(this.recording);
  }

  static named(kind: "trace" | "background", name: string, tools: TraceTools): OpenWork {
    const path = tools.snapshots.text(name);
    return new OpenWork(tools, () => ({ kind, method: WORK_METHOD, path, route: null, request: noRequest }));
  }

  /** A handler of a WebSocket. @param connection the run of the request that opened it */
  static ofSocket({ ctx, event, data }: WorkOrigin, connection: number, tools: TraceTools): OpenWork {
    const { paths } = tools;
    return new OpenWork(tools, (recording) => {
      const body = messageBody(data, tools);
      recording.budget -= body.bytes;
      return {
        kind: "websocket",
        method: SOCKET_METHOD,
        route: ctx.route ?? null,
        event,
        connection,
        request: { ...noRequest, pathParams: shownParams(paramsOf(ctx), tools), body: body.json },
        path: paths.of(ctx.url, ctx.route),
      };
    });
  }

  described(): ReturnType<UnderWay["described"]> {
    const { kind, method, path, route } = this.#work;
    return { kind, correlationId: null, method, path, route, startedAt: this.#startedAt } satisfies Partial<Started>;
  }

  close(
    outcome: Outcome,
    { calls, leaves }: RecordingResult,
    { run, endedAt }: { run: number; endedAt: number },
  ): FinishedTrace {
    const { recording } = this;
    const { snapshots, errors } = this.#tools;
    const durationUs = Math.max(0, Math.floor((endedAt - recording.startedAt) * 1_000));
    snapshots.within(recording.secrets);
    const failed = "error" in outcome;
    const result = failed ? { json: null satisfies Json, bytes: 0 } : snapshots.take(outcome.value);
    const trace = {
      id: null,
      correlationId: null,
      ...this.#work,
      status: failed ? 500 : 200,
      startedAt: this.#startedAt,
      durationUs,
      aborted: false,
      response: { headers: {}, body: result.json, bytes: 0 },
      calls,
      leaves,
      error: failed ? shownError(outcome.error, recording, errors) : null,
      run,
      ...(recording.dropped.count > 0 ? { callLimit: this.#tools.maxCalls } : {}),
      ...(recording.replay === undefined ? {} : { replayOf: recording.replay.shown }),
    };
    recording.thrown = undefined;
    const entryBytes = 240 * (calls.length + leaves.length);
    const payloadBytes = result.bytes + (this.#budget - recording.budget) - entryBytes;
    const bytes = payloadBytes + entryBytes + 1_024;
    return { trace: withoutSecrets(trace, recording.secrets), bytes, payloadBytes, dropped: recording.dropped };
  }
}
