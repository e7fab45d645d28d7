/**
 * Open trace: one request in progress.
 *
 *   open(ctx) ──▶ the chain runs, the recorder fills the calls ──▶ end(completion) ──▶ EndedRequest ──▶ FinishedTrace
 *
 * Spec: spec/trace.md
 */
import type { Completion, Context, Phase, RecordedResponse } from "framework";
import type { Json, RunProfile, TaggedValue } from "../run/shapes.ts";
import { KeptAnnotations } from "./annotations.ts";
import { asRecorded, Beginning, requestBody } from "../capture/http/bodies.ts";
import { EndedRequest } from "./ended-request.ts";
import type { TraceTools } from "./finished-trace.ts";
import type { UnderWay } from "./in-flight.ts";
import type { LoopWatch } from "./loop-watch.ts";
import { MAX_STEPS } from "./phases.ts";
import { beginRecording, type RecordingResult, type Recording } from "./recorder.ts";
import type { SentHeaders } from "./services/sent-headers.ts";
import { isNeighbour } from "./services/neighbours.ts";

/** One request in progress. */
export class OpenTrace implements UnderWay {
  readonly recording: Recording;
  run = 0;
  place = 0;
  /** The run's name in the response to a service on this machine, or undefined for other clients. */
  named: string | undefined;
  /** Undefined unless it was profiled. */
  profile: RunProfile | undefined;
  #annotations: KeptAnnotations | undefined;
  readonly #steps: Phase[] = [];
  readonly #tools: TraceTools;
  readonly #startedAt: number = Date.now();
  readonly #budget: number;
  readonly #sent: SentHeaders;
  #beginning: Beginning | undefined;
  readonly #ctx: Context;
  /** The body as the application recorded it. The sent one may be compressed. */
  #recorded: Completion["body"];

  constructor(ctx: Context, sent: SentHeaders, tools: TraceTools) {
    this.#tools = tools;
    this.#ctx = ctx;
    this.#sent = sent;
    this.#budget = Math.max(0, tools.traceBytes - 2 * tools.snapshotBytes);
    ctx.onChunk((chunk) => (this.#beginning ??= new Beginning()).take(chunk));
    this.recording = beginRecording(ctx.startedAt, this.#budget);
  }

  /** Whether its client is a service on this machine, which gets the run's name. */
  get isOfNeighbour(): boolean {
    return isNeighbour(this.#ctx.peerAddress, this.#sent);
  }

  annotated(name: unknown, value: unknown): void {
    (this.#annotations ??= new KeptAnnotations(this.recording)).take(name, value, this.#tools.snapshots);
  }

  /** Takes a step that has ended. */
  phase(step: Phase): void {
    if (this.#steps.length < MAX_STEPS) this.#steps.push(step);
  }

  /** Takes the response before middleware transforms it. */
  recorded({ body }: RecordedResponse): void {
    this.#recorded = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  }

  /** The shown form of its context, where that occurs as a value. */
  get shown(): Json {
    return {
      $context: `${this.#ctx.method} ${this.#tools.paths.of(this.#ctx.url, this.#ctx.route)}`,
    } satisfies TaggedValue;
  }

  described(): ReturnType<UnderWay["described"]> {
    const { snapshots, paths } = this.#tools;
    snapshots.within(this.recording.secrets);
    const { method, url, route } = this.#ctx;
    return {
      kind: "request",
      correlationId: this.#sent.correlationId,
      method,
      path: paths.of(url, route),
      route: route ?? null,
      startedAt: this.#startedAt,
    };
  }

  /** Its data after the end. Parts that the application can still change are captured here. */
  end(completion: Completion, finished: RecordingResult, loop?: LoopWatch): EndedRequest {
    const { recording } = this;
    const ctx = this.#ctx;
    const { snapshots } = this.#tools;
    snapshots.within(recording.secrets);
    return new EndedRequest(ctx, this.#tools, {
      run: this.run,
      recording,
      budget: this.#budget,
      startedAt: this.#startedAt,
      sent: this.#sent,
      sentBody: requestBody(ctx, this.#tools),
      named: this.named,
      annotations: this.#annotations?.all,
      steps: loop?.with(this.#steps) ?? this.#steps,
      beginning: this.#beginning,
      profile: this.profile,
      completion,
      shown: asRecorded(completion, this.#recorded),
      finished,
    });
  }
}
