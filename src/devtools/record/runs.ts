/**
 * Runs: every run of one application, from its beginning to where it is kept.
 *
 *   request ──▶ ignored? ──▶ OpenTrace ──▶ the chain, recorded ──▶ completed ──┐
 *   work    ──▶ OpenWork ──▶ the work, recorded ──▶ its outcome ───────────────┴──▶ kept
 *
 * Whatever goes wrong in here is counted by the recorder and never reaches the application.
 *
 * Spec: spec/trace.md
 */
import type { Completion, Context, Next, RecordedResponse, WorkOrigin } from "framework";
import type { PromiseWarnings } from "../capture/promise-warnings.ts";
import type { HostRoute } from "../host.ts";
import { RUN_HEADER } from "../run/wire.ts";
import { Entries } from "./entries.ts";
import type { EndedRun, FinishedTrace, TraceTools } from "./finished-trace.ts";
import type { InFlight } from "./in-flight.ts";
import { OpenTrace } from "./open-trace.ts";
import { OpenWork, type Outcome } from "./open-work.ts";
import type { PrivateSlot } from "./private-slot.ts";
import type { Frame, Recorder } from "./recorder.ts";
import { endedResponse } from "./replay/problem.ts";
import type { Replay } from "./replay/replay.ts";
import { runHeader } from "./services/neighbours.ts";
import type { SentHeaders } from "./services/sent-headers.ts";

/** Where runs are kept once they are over. */
interface Keeper {
  readonly instance: string;
  add(trace: FinishedTrace): void;
  addEnded(ended: EndedRun): void;
}

/** What runs are made with. */
interface RunsOf {
  readonly recorder: Recorder;
  readonly tools: TraceTools;
  readonly keeper: Keeper;
  readonly inFlight: InFlight;
  readonly promised: PromiseWarnings;
  /** Where the trace of a context is while its request is under way. */
  readonly open: PrivateSlot<OpenTrace>;
  /** Hears of each run before it begins. */
  readonly begins: () => void;
  readonly ignore: ((ctx: Context) => boolean) | undefined;
}

/** What runs ask of the application. */
interface Application {
  /** The path of devtools, which names a run to a service on this machine. */
  readonly at: string;
  routes(): readonly HostRoute[];
  /** Was its container built without the recorder? */
  isUninstrumented(): boolean;
  /** Says, once, that a bean handled a request and the recorder has never seen one. */
  notInstrumented(): void;
}

/** The runs of one application. */
export class Runs {
  readonly entries: Entries = new Entries();
  readonly #of: RunsOf;
  #app: Application | undefined;
  #isToldUninstrumented = false;

  constructor(of: RunsOf) {
    this.#of = of;
  }

  /** Says whose runs these are. */
  mount(app: Application): void {
    this.#app = app;
  }

  /** A request on its way, unless it is ignored. */
  request(ctx: Context, sent: SentHeaders, next: Next): void | Promise<void> {
    return this.isIgnored(ctx) ? next() : this.record(ctx, sent, next);
  }

  /** Records a request. A replay is recorded whatever `ignore` says by now: without that its beans would be called for real. */
  record(ctx: Context, sent: SentHeaders, next: Next, replay?: Replay): void | Promise<void> {
    const { open: slot, inFlight, tools, recorder, begins } = this.#of;
    const open = new OpenTrace(ctx, sent, tools);
    open.recording.replay = replay;
    slot.set(ctx, open);
    inFlight.begin(open);
    begins();
    ctx.onComplete(this.#completed);
    return recorder.run(open.recording, next);
  }

  /** Does the application want no trace of this request? */
  isIgnored(ctx: Context): boolean {
    const { ignore, promised } = this.#of;
    try {
      const isIgnored = ignore?.(ctx);
      return !promised.isOne("ignore", isIgnored, "the request is traced") && isIgnored === true;
    } catch {
      return false;
    }
  }

  /** Hears of a response as it is recorded. Returns another one in its place for a replay. */
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

  /** Hears of what middleware tells of a request. */
  annotated(ctx: Context, name: unknown, value: unknown): void {
    this.#of.open.get(ctx)?.annotated(name, value);
  }

  /** Where a line of a request's log belongs, also one that is written outside of its asynchronous code. */
  frameOf(ctx: Context): Frame | undefined {
    const { recorder, open: slot } = this.#of;
    const open = slot.get(ctx);
    return recorder.where() ?? (open === undefined ? undefined : { recording: open.recording, id: null, depth: -1 });
  }

  /** Runs work that is no request, as a run of its own. What it returns and throws is as without. */
  work<R>(kind: "trace" | "background", name: string, work: () => R): R {
    return this.#watched(() => OpenWork.named(kind, name, this.#of.tools), work);
  }

  /** Runs a handler of a WebSocket, as a run of its own; of a request that is ignored, as it is. */
  socketWork<R>(origin: WorkOrigin, work: () => R): R {
    const { ctx } = origin;
    const connection = this.#of.open.get(ctx);
    if (connection === undefined) return work();
    return this.#watched(() => OpenWork.ofSocket(origin, connection.run, this.#of.tools), work, ctx);
  }

  /** Undefined where it fails: what is watched runs all the same. */
  safely<T>(part: () => T): T | undefined {
    try {
      return part();
    } catch {
      this.#of.recorder.failures++;
      return undefined;
    }
  }

  /** Runs work that is watched. @param ctx the request whose route it belongs to */
  #watched<R>(openWork: () => OpenWork, work: () => R, ctx?: Context): R {
    const { recorder, open: slot, inFlight, begins } = this.#of;
    const open = this.safely(openWork);
    if (open === undefined) return work();
    // What a replay begins is of it too: its beans are not to be called for real behind it.
    const around = (ctx === undefined ? undefined : slot.get(ctx)) ?? recorder.where();
    if (around !== undefined) open.recording.replay = around.recording.replay;
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
    const finished = recorder.finish(open.recording);
    this.entries.add(ctx, open.recording.asked, finished.calls);
    if (!this.#isToldUninstrumented) this.#warnIfNotInstrumented(ctx);
    const ended = open.end(completion, finished);
    if (ended.canWait) keeper.addEnded(ended);
    else keeper.add(ended.finish());
  };

  /** At the first request of a route: a bean of a container without the recorder, however a handler got it. */
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
