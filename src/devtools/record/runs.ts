/**
 * Runs: every run of one application, from its start until it is kept.
 *
 *   request ──▶ ignored? ──▶ OpenTrace ──▶ the chain, recorded ──▶ completed ──┐
 *   work    ──▶ OpenWork ──▶ the work, recorded ──▶ its outcome ───────────────┴──▶ kept
 *
 * Errors in here are counted by the recorder and never reach the application.
 *
 * Spec: spec/trace.md
 */
import type { Completion, Context, JobOrigin, Next, Phase, RecordedResponse, WorkOrigin } from "framework";
import type { PromiseWarnings } from "../capture/promise-warnings.ts";
import type { HostRoute } from "../host.ts";
import type { RunReference } from "../run/shapes.ts";
import { RUN_HEADER } from "../run/wire.ts";
import { Entries } from "./entries.ts";
import type { EndedRun, FinishedTrace, TraceTools } from "./finished-trace.ts";
import type { InFlight } from "./in-flight.ts";
import { LoopWatch } from "./loop-watch.ts";
import { OpenTrace } from "./open-trace.ts";
import { OpenWork, type Outcome } from "./open-work.ts";
import type { PrivateSlot } from "./private-slot.ts";
import type { Frame, Recorder } from "./recorder.ts";
import { endedResponse } from "./replay/problem.ts";
import type { Replay } from "./replay/replay.ts";
import type { Trial } from "./replay/trial.ts";
import { runHeader } from "./services/neighbours.ts";
import type { SentHeaders } from "./services/sent-headers.ts";

interface Keeper {
  readonly instance: string;
  add(trace: FinishedTrace): void;
  addEnded(ended: EndedRun): void;
}

interface RunsOf {
  readonly recorder: Recorder;
  readonly tools: TraceTools;
  readonly keeper: Keeper;
  readonly inFlight: InFlight;
  readonly promised: PromiseWarnings;
  /** The trace of a context while its request is in progress. */
  readonly open: PrivateSlot<OpenTrace>;
  /** Called before each run begins. */
  readonly begins: () => void;
  readonly ignore: ((ctx: Context) => boolean) | undefined;
}

/** The application's facts that runs need. */
interface Application {
  /** The path of devtools, which names a run to a service on this machine. */
  readonly at: string;
  routes(): readonly HostRoute[];
  /** Whether its container was built without the recorder. */
  isUninstrumented(): boolean;
  /** Reports, once, that a bean handled a request but the recorder has never seen one. */
  notInstrumented(): void;
}

interface Belongs {
  readonly ctx?: Context;
  readonly replay?: Replay | undefined;
}

/** The runs of one application. */
export class Runs {
  readonly entries: Entries = new Entries();
  readonly #of: RunsOf;
  readonly #loop: LoopWatch;
  #app: Application | undefined;
  #isToldUninstrumented = false;

  constructor(of: RunsOf) {
    this.#of = of;
    this.#loop = new LoopWatch(() => of.inFlight.isEmpty);
  }

  mount(app: Application): void {
    this.#app = app;
  }

  request(ctx: Context, sent: SentHeaders, next: Next): void | Promise<void> {
    return this.isIgnored(ctx) ? next() : this.record(ctx, sent, next);
  }

  /**
   * Records a request. A replay is recorded whatever `ignore` returns now, because otherwise its beans would be called for real.
   */
  record(ctx: Context, sent: SentHeaders, next: Next, replay?: Replay): void | Promise<void> {
    const { open: slot, inFlight, tools, recorder, begins } = this.#of;
    const open = new OpenTrace(ctx, sent, tools);
    open.recording.replay = replay;
    open.recording.profiling = replay?.profiling;
    slot.set(ctx, open);
    inFlight.begin(open);
    begins();
    this.safely(() => this.#loop.begin());
    ctx.onComplete(this.#completed);
    return recorder.run(open.recording, next);
  }

  /** Whether the application wants no trace of this request. */
  isIgnored(ctx: Context): boolean {
    const { ignore, promised } = this.#of;
    try {
      const isIgnored = ignore?.(ctx);
      return !promised.isOne("ignore", isIgnored, "the request is traced") && isIgnored === true;
    } catch {
      return false;
    }
  }

  /** Takes a response when it is recorded. Returns another one for a replay that has ended. */
  responded(ctx: Context, response: RecordedResponse): RecordedResponse | undefined {
    const { open: slot, keeper } = this.#of;
    const open = slot.get(ctx);
    if (open === undefined) return undefined;
    if (open.isOfNeighbour) {
      open.named = runHeader(keeper.instance, open.run, this.#app?.at ?? "");
      ctx.setHeader(RUN_HEADER, open.named);
    }
    const { replay, secrets } = open.recording;
    const ended = replay === undefined ? undefined : endedResponse(replay, (text) => secrets.text(text));
    open.recorded(ended ?? response);
    return ended;
  }

  annotated(ctx: Context, name: unknown, value: unknown): void {
    this.#of.open.get(ctx)?.annotated(name, value);
  }

  /** Takes a step of a request that has ended. */
  phase(ctx: Context, phase: Phase): void {
    this.#of.open.get(ctx)?.phase(phase);
  }

  /** The place of a request's log line, also of one that is written outside of its asynchronous code. */
  frameOf(ctx: Context): Frame | undefined {
    const { recorder, open: slot } = this.#of;
    const open = slot.get(ctx);
    return recorder.where() ?? (open === undefined ? undefined : { recording: open.recording, id: null, depth: -1 });
  }

  /** Runs work outside of requests, as a separate run. It does not change the work's result or error. */
  work<R>(kind: "trace" | "background", name: string, work: () => R): R {
    return this.#watched(() => OpenWork.named(kind, name, this.#of.tools), work);
  }

  /** Runs a handler of a WebSocket as a separate run, or unchanged if its request is ignored. */
  socketWork<R>(origin: WorkOrigin, work: () => R): R {
    const { ctx } = origin;
    const connection = this.#of.open.get(ctx);
    if (connection === undefined) return work();
    return this.#watched(() => OpenWork.ofSocket(origin, connection.run, this.#of.tools), work, { ctx });
  }

  /**
   * Runs an attempt at a job as a separate run. What sent it may be a replay, but the engine has handed it out, so only a trial
   * replays it.
   */
  jobWork<R>(job: JobOrigin, sender: RunReference | undefined, trial: Trial | undefined, work: () => R): R {
    return this.#watched(() => OpenWork.ofJob(job, sender, trial, this.#of.tools), work, { replay: trial?.replay });
  }

  /** Undefined if it fails; the watched code runs all the same. */
  safely<T>(part: () => T): T | undefined {
    try {
      return part();
    } catch {
      this.#of.recorder.failures++;
      return undefined;
    }
  }

  /**
   * Runs watched work. @param belongs `ctx`: the request with the route that it belongs to; `replay`: what replays it, if that is
   * not what replays the code around it
   */
  #watched<R>(openWork: () => OpenWork, work: () => R, belongs: Belongs = {}): R {
    const { ctx } = belongs;
    const { recorder, open: slot, inFlight, begins } = this.#of;
    const open = this.safely(openWork);
    if (open === undefined) return work();
    // Work that a replay starts belongs to it too, since its beans must not be called for real after it.
    const around = (ctx === undefined ? undefined : slot.get(ctx)) ?? recorder.where();
    open.recording.replay = "replay" in belongs ? belongs.replay : around?.recording.replay;
    open.recording.profiling = belongs.replay?.profiling;
    const run = inFlight.begin(open);
    begins();
    const end = (outcome: Outcome): void => this.#endWork(open, run, outcome, ctx);
    let result: R;
    try {
      result = recorder.run(open.recording, work);
    } catch (error) {
      end({ error });
      throw error;
    }
    if (!(result instanceof Promise)) {
      end({ value: result });
      return result;
    }
    return result.then(
      (value: unknown) => {
        end({ value });
        return value;
      },
      (error: unknown) => {
        end({ error });
        throw error;
      },
    ) as R;
  }

  #endWork(open: OpenWork, run: number, outcome: Outcome, ctx: Context | undefined): void {
    const { recorder, inFlight, keeper } = this.#of;
    const endedAt = performance.now();
    inFlight.end(open);
    this.safely(() => {
      open.profile = open.recording.profiling?.finish();
      const finished = recorder.finish(open.recording);
      if (ctx !== undefined) this.entries.add(ctx, open.recording.asked, finished.calls);
      keeper.add(open.close(outcome, finished, { run, endedAt }));
    });
  }

  readonly #completed = (completion: Completion, ctx: Context): void => {
    const { recorder, open: slot, inFlight, keeper } = this.#of;
    const open = slot.get(ctx);
    if (open === undefined) return;
    inFlight.end(open);
    open.profile = this.safely(() => open.recording.profiling?.finish());
    const finished = recorder.finish(open.recording);
    this.entries.add(ctx, open.recording.asked, finished.calls);
    if (!this.#isToldUninstrumented) this.#warnIfNotInstrumented(ctx);
    const ended = open.end(completion, finished, this.#loop);
    if (ended.canWait) keeper.addEnded(ended);
    else keeper.add(ended.finish());
  };

  /** At the first request of a route, checks for a bean of a container without the recorder. */
  #warnIfNotInstrumented({ method, route }: Context): void {
    const app = this.#app;
    if (app === undefined) return;
    if (!this.#of.recorder.decorated) {
      const found = app.routes().find((one) => one.method === method && one.path === route);
      if (found === undefined || (found.beans.length === 0 && !app.isUninstrumented())) return;
      app.notInstrumented();
    }
    this.#isToldUninstrumented = true;
  }
}
