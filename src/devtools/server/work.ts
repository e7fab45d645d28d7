/**
 * Work: a run that is no request, such as a job of a queue or the application's own work in the background.
 *
 *   open ──▶ its code runs, the recorder fills the calls ──▶ close(outcome) ──▶ Trace of a kind of its own
 *
 * Spec: spec/trace.md (TRACE)
 */
import type { Json, Started } from "../wire.ts";
import type { UnderWay } from "./in-flight.ts";
import { beginRecording, type Finished, type Recording } from "./recorder.ts";
import { shownError, withoutSecrets, type FinishedTrace, type TraceTools } from "./trace.ts";

/** What stands where a request has its method. */
const WORK_METHOD = "RUN";

/** How a piece of work ended. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** One piece of work on its way. */
export class OpenWork implements UnderWay {
  readonly recording: Recording;
  run = 0;
  place = 0;
  readonly kind: "trace" | "background";
  readonly #name: string;
  readonly #tools: TraceTools;
  readonly #startedAt: number = Date.now();
  readonly #budget: number;

  constructor(kind: "trace" | "background", name: string, tools: TraceTools) {
    this.kind = kind;
    this.#name = tools.snapshots.text(name);
    this.#tools = tools;
    this.#budget = Math.max(0, tools.traceBytes - tools.snapshotBytes);
    this.recording = beginRecording(performance.now(), this.#budget);
  }

  described(): ReturnType<UnderWay["described"]> {
    return { kind: this.kind, ...this.#head(), startedAt: this.#startedAt } satisfies Partial<Started>;
  }

  /** The finished trace. */
  close(
    outcome: Outcome,
    { calls, leaves }: Finished,
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
      ...this.#head(),
      status: failed ? 500 : 200,
      startedAt: this.#startedAt,
      durationUs,
      aborted: false,
      request: { pathParams: {}, query: {}, headers: {}, body: null },
      response: { headers: {}, body: result.json, bytes: 0 },
      calls,
      leaves,
      error: failed ? shownError(outcome.error, recording, errors) : null,
      run,
      kind: this.kind,
      ...(recording.dropped.count > 0 ? { callLimit: this.#tools.maxCalls } : {}),
    };
    recording.thrown = undefined;
    const entryBytes = 240 * (calls.length + leaves.length);
    const payloadBytes = result.bytes + (this.#budget - recording.budget) - entryBytes;
    const bytes = payloadBytes + entryBytes + 1_024;
    return { trace: withoutSecrets(trace, recording.secrets), bytes, payloadBytes, dropped: recording.dropped };
  }

  #head(): { correlationId: null; method: string; path: string; route: null } {
    return { correlationId: null, method: WORK_METHOD, path: this.#name, route: null };
  }
}
