/**
 * Work: a run outside of requests, such as a job of a queue, the application's background work, or a handler of a
 * WebSocket.
 *
 *   open ──▶ its code runs, the recorder fills the calls ──▶ close(outcome) ──▶ Trace of a kind of its own
 *
 * Spec: spec/trace.md
 */
import type { JobOrigin, WorkOrigin } from "framework";
import type { JobAttempt, Json, RunProfile, RunReference, Started, Trace, TraceRequest } from "../run/shapes.ts";
import { messageBody } from "../capture/http/bodies.ts";
import { paramsOf, shownParams } from "../capture/http/fields.ts";
import type { UnderWay } from "./in-flight.ts";
import { beginRecording, type RecordingResult, type Recording } from "./recorder.ts";
import type { Trial } from "./replay/trial.ts";
import { shownError, withoutSecrets, type FinishedTrace, type TraceTools } from "./finished-trace.ts";

/** Used in place of a request's method. */
const WORK_METHOD = "RUN";
const SOCKET_METHOD = "WS";

/** The end of a piece of work. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface Work extends Pick<Trace, "method" | "path" | "route" | "event" | "connection" | "correlationId"> {
  /** Null for a generated one. */
  readonly id: string | null;
  readonly kind: NonNullable<Trace["kind"]>;
  readonly request: TraceRequest;
  /** The attempt that it is. */
  readonly job?: JobOrigin | undefined;
}

/** Common to all work. */
const work = { id: null, correlationId: null, method: WORK_METHOD, route: null } as const;
const noRequest: TraceRequest = { pathParams: {}, query: {}, headers: {}, body: null };

/** One piece of work in progress. */
export class OpenWork implements UnderWay {
  readonly recording: Recording;
  run = 0;
  place = 0;
  /** Undefined unless it was profiled. */
  profile: RunProfile | undefined;
  readonly #work: Work;
  readonly #sender: RunReference | undefined;
  readonly #tools: TraceTools;
  readonly #startedAt: number = Date.now();
  readonly #budget: number;

  private constructor(tools: TraceTools, workOf: (recording: Recording) => Work, sender?: RunReference) {
    this.#tools = tools;
    this.#sender = sender;
    this.#budget = Math.max(0, tools.traceBytes - tools.snapshotBytes);
    this.recording = beginRecording(performance.now(), this.#budget);
    tools.snapshots.within(this.recording.secrets);
    this.#work = workOf(this.recording);
  }

  static named(kind: "trace" | "background", name: string, tools: TraceTools): OpenWork {
    const path = tools.snapshots.text(name);
    return new OpenWork(tools, () => ({ ...work, kind, path, request: noRequest }));
  }

  /** A handler of a WebSocket. @param connection the run of the request that opened it */
  static ofSocket({ ctx, event, data }: WorkOrigin, connection: number, tools: TraceTools): OpenWork {
    const { paths } = tools;
    return new OpenWork(tools, (recording) => {
      const body = messageBody(data, tools);
      recording.budget -= body.bytes;
      return {
        ...work,
        kind: "websocket",
        method: SOCKET_METHOD,
        route: ctx.route ?? null,
        ...(ctx.apiVersion === undefined ? {} : { version: ctx.apiVersion }),
        event,
        connection,
        request: { ...noRequest, pathParams: shownParams(paramsOf(ctx), tools), body: body.json },
        path: paths.of(ctx.url, ctx.route),
      };
    });
  }

  /** An attempt at a job. @param trial what replays it */
  static ofJob(
    job: JobOrigin,
    sender: RunReference | undefined,
    trial: Trial | undefined,
    tools: TraceTools,
  ): OpenWork {
    return new OpenWork(
      tools,
      (recording) => {
        const { json, bytes } = tools.snapshots.take(job.input, recording.budget);
        recording.budget -= bytes;
        const { id, name } = job;
        const correlationId = trial?.correlationId ?? null;
        return { ...work, id, correlationId, kind: "job", path: name, request: { ...noRequest, body: json }, job };
      },
      sender,
    );
  }

  described(): ReturnType<UnderWay["described"]> {
    const { kind, method, path, route, correlationId } = this.#work;
    return { kind, correlationId, method, path, route, startedAt: this.#startedAt } satisfies Partial<Started>;
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
    const { job, ...work } = this.#work;
    const trace = {
      ...work,
      ...(job === undefined ? {} : { job: attemptOf(job, outcome, this.#sender) }),
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
      ...(this.profile === undefined ? {} : { profile: this.profile }),
      ...(recording.replay === undefined ? {} : { replayOf: recording.replay.shown }),
    };
    recording.thrown = undefined;
    const entryBytes = 240 * (calls.length + leaves.length);
    const payloadBytes = result.bytes + (this.#budget - recording.budget) - entryBytes;
    const bytes = payloadBytes + entryBytes + 1_024;
    return { trace: withoutSecrets(trace, recording.secrets), bytes, payloadBytes, dropped: recording.dropped };
  }
}

/** The attempt, with what became of the job. */
function attemptOf(job: JobOrigin, outcome: Outcome, sender: RunReference | undefined): JobAttempt {
  const { id, system, attempt, attempts, sentAt, againMs, requestId, schedule } = job;
  const became = outcomeOf(job, outcome);
  return {
    id,
    system,
    attempt,
    attempts: Math.max(attempt, attempts),
    sentAt,
    outcome: became,
    ...(became === "failed" && job.trial === undefined ? { againMs } : {}),
    ...(requestId ? { requestId } : {}),
    ...(schedule ? { schedule } : {}),
    ...(sender === undefined ? {} : { sender }),
  };
}

/** A trial that fails changes nothing in the engine, so it leaves no dead letter. */
function outcomeOf({ attempt, attempts, isRejected, trial }: JobOrigin, outcome: Outcome): JobAttempt["outcome"] {
  if (!("error" in outcome)) return "done";
  const { isHandedBack, isDeadLetter } = Object(outcome.error) as Readonly<Record<string, unknown>>;
  if (isHandedBack === true) return "back";
  return trial === undefined && (isRejected || isDeadLetter === true || attempt >= attempts) ? "dead" : "failed";
}
