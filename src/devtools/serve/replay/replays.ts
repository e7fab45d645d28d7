/**
 * Replays: the header that requests one, and the data about a run before that.
 *
 *   X-Framework-Replay ──▶ guard ──▶ the kept run ──▶ can it be? ──▶ the request runs with recorded results
 *                            │ 403       └── 400, 409: nothing has run ──┘           └── ended early: 409 in place of the response
 *                            └ a client that devtools do not serve: the header is ignored
 *
 *   POST …/api/replays/{run} with the header ──▶ the attempt at a job runs, beside its engine
 *   …/api/replays/{run} ──▶ ReplayPlan        …/api/replays/{run}/test?beans= ──▶ a test
 *
 * Spec: spec/replay.md
 */
import type { AppJobs, Context } from "framework";
import { messageOf } from "../../run/format.ts";
import type { BeanGraph, Call, JobReplayed, ReplayProblem, Trace } from "../../run/shapes.ts";
import { REPLAY_HEADER, REDACTED } from "../../run/wire.ts";
import { problem, reject, sendJson, sendProblem } from "../endpoints.ts";
import type { Verdict } from "../guard.ts";
import type { SessionLine } from "../../keep/history/lines.ts";
import type { KeptRuns } from "../../keep/kept-runs.ts";
import { flawOfData, recordedCall } from "../../record/replay/flaws.ts";
import { isRunKey, readBeans, readReplay, type ReplayRequest } from "./header.ts";
import { notesOf, planOf, refusalOf, type Surroundings, whyNot } from "./plan.ts";
import { endedProblem, problemOf } from "../../record/replay/problem.ts";
import { Replay } from "../../record/replay/replay.ts";
import { Trial } from "../../record/replay/trial.ts";
import { SentHeaders } from "../../record/services/sent-headers.ts";
import { Profiling } from "../../record/profile/profiling.ts";
import { flawOfWhatIf, SupposedCalls } from "../../record/replay/what-if.ts";
import type { Reviver } from "../../capture/revive.ts";
import type { Stacks } from "../../capture/stacks.ts";
import { testFile, testFileName } from "./test-file.ts";

/** The parts of devtools that replays need. */
export interface ReplaySources {
  readonly kept: KeptRuns;
  readonly reviver: Reviver;
  /** Undefined if they are hidden. */
  readonly stacks: Stacks | undefined;
  /** Of this process. */
  readonly session: SessionLine;
  /** Whether a token is required. */
  readonly hasToken: boolean;
  graph(): BeanGraph;
  /** Whether the client may use devtools. @param isKnown whether it has shown a ticket */
  judge(ctx: Context, isKnown: boolean): Verdict;
  /** In a trace's form. */
  pathOf(ctx: Context): string;
  /** Whether the request is one that is not recorded. */
  isIgnored(ctx: Context): boolean;
  /** Undefined if the application has none. */
  jobs(): AppJobs | undefined;
  /** A text with its secrets hidden. */
  hidden(text: string): string;
}

/** A request with the header, with its content or its mistake, and the guard's verdict. */
export interface AskedReplay {
  readonly asked: ReplayRequest | string;
  readonly verdict: Verdict;
}

/** An attempt that can be replayed. */
interface FoundJob {
  readonly replay: Replay;
  readonly jobs: AppJobs;
  readonly trace: Trace;
  readonly input: unknown;
}

/** Replays of one application's kept runs. */
export class Replays {
  readonly #sources: ReplaySources;
  /** Proves that a client has read the plan, which takes the token. The cookie is not sent to the application's paths. */
  readonly #ticket: string | undefined;

  constructor(sources: ReplaySources) {
    this.#sources = sources;
    this.#ticket = sources.hasToken ? crypto.randomUUID() : undefined;
  }

  /** The content of a request's header, or undefined if devtools do not serve its client, which learns nothing. */
  askedBy(ctx: Context): AskedReplay | undefined {
    const asked = readReplay(ctx.headerValues(REPLAY_HEADER));
    const hasTicket = this.#ticket !== undefined && typeof asked === "object" && asked.ticket === this.#ticket;
    const verdict = this.#sources.judge(ctx, hasTicket);
    return verdict.allowed || verdict.status !== 404 ? { asked, verdict } : undefined;
  }

  /** The requested replay, or undefined if it has been rejected. */
  async begin(ctx: Context, { asked, verdict }: AskedReplay): Promise<Replay | undefined> {
    if (!verdict.allowed) {
      reject(ctx, verdict.status, verdict.reason);
      return undefined;
    }
    const found = await this.#found(ctx, asked);
    if (found instanceof Replay) return found;
    ctx.setHeader("Cache-Control", "no-store");
    sendProblem(ctx, found);
    return undefined;
  }

  async #found(ctx: Context, asked: ReplayRequest | string): Promise<Replay | ReplayProblem> {
    if (typeof asked === "string") return problemOf(400, asked);
    const trace = await this.#traceOf(asked.key);
    if (trace === undefined) return problemOf(409, `the run ${asked.key} is not kept`);
    return this.#replayOf(trace, asked, this.#refusalOf(ctx, trace, asked.beans));
  }

  /** @param objection why it cannot be, before the outcomes are checked */
  #replayOf(trace: Trace, asked: ReplayRequest, objection: string | undefined): Replay | ReplayProblem {
    const { beans, whatIf } = asked;
    const { reviver } = this.#sources;
    const refusal = objection ?? flawOfWhatIf(trace.calls, whatIf, reviver);
    if (refusal !== undefined) return problemOf(409, refusal);
    const { instance, sequence } = trace;
    const calls = trace.calls.filter(({ bean }) => beans.includes(bean)).map(recordedCall);
    const notes = notesOf(trace, new Set(beans), this.#around(trace));
    const profiling = asked.isProfiled ? Profiling.begin(this.#sources.stacks) : undefined;
    if (typeof profiling === "string") return problemOf(409, profiling);
    const given = whatIf.length === 0 ? {} : { whatIf, supposed: new SupposedCalls(trace.calls, whatIf) };
    return new Replay({ instance, sequence, beans, notes, calls, profiling, ...given }, reviver);
  }

  /**
   * Replays an attempt at a job beside its engine, which learns nothing of it. The header is that of a request's replay, which a
   * page of another site cannot send. @param key of its run
   */
  async replayJob(ctx: Context, key: string): Promise<void> {
    const asked = readReplay(ctx.headerValues(REPLAY_HEADER), true);
    if (typeof asked === "string") return sendProblem(ctx, problemOf(400, asked));
    if (asked.key !== key) return sendProblem(ctx, problemOf(400, `${REPLAY_HEADER} names another run than the path`));
    const found = await this.#jobOf(key, asked);
    if ("status" in found) return sendProblem(ctx, found);
    const { replay, jobs, trace, input } = found;
    const correlationId = new SentHeaders(ctx).correlationId;
    const attempt = { id: trace.id, attempt: trace.job?.attempt ?? 1, input, trial: new Trial(replay, correlationId) };
    const { hasRun, reason } = await jobs.trial(trace.path, attempt);
    const { hidden } = this.#sources;
    if (!hasRun) {
      replay.profiling?.finish();
      return sendProblem(ctx, problemOf(409, hidden(reason ?? "")));
    }
    if (replay.ended !== null) return sendProblem(ctx, endedProblem(replay.ended, hidden));
    sendJson(ctx, JSON.stringify({ reason: reason === undefined ? null : hidden(reason) } satisfies JobReplayed));
  }

  async #jobOf(key: string, asked: ReplayRequest): Promise<FoundJob | ReplayProblem> {
    const trace = await this.#traceOf(key);
    if (trace === undefined) return problemOf(409, `the run ${key} is not kept`);
    const jobs = this.#sources.jobs();
    const isNone = trace.kind === "job" ? undefined : "the run is of no job: send its request again, with the header";
    const refusal = isNone ?? whyNot(trace, jobs?.names ?? []) ?? this.#refusalOfBeans(trace, asked.beans);
    if (refusal !== undefined || jobs === undefined) return problemOf(409, refusal ?? "the application has no jobs");
    const input = await this.#inputOf(trace, jobs);
    if (typeof input === "string") return problemOf(409, input);
    const replay = this.#replayOf(trace, asked, undefined);
    return replay instanceof Replay ? { replay, jobs, trace, ...input } : replay;
  }

  /** The recorded input if it is whole, else that of the dead letter, or why there is neither. */
  async #inputOf({ request, path, id }: Trace, jobs: AppJobs): Promise<{ readonly input: unknown } | string> {
    const flaw = flawOfData(request.body, "its input");
    if (flaw === undefined) return { input: this.#sources.reviver.value(request.body) };
    try {
      const letter = (await jobs.dead(path)).find((one) => one.id === id);
      return letter ?? `${flaw}, and ${jobs.engine} has no dead letter of it`;
    } catch (error) {
      return `${flaw}, and its dead letter could not be read: ${this.#sources.hidden(messageOf(error))}`;
    }
  }

  /** Serves the plan of a run, or its test. @param below `<run>` or `<run>/test` */
  async serve(ctx: Context, below: string): Promise<void> {
    const [key = "", test, ...more] = below.split("/");
    if (more.length > 0 || (test !== undefined && test !== "test")) return problem(ctx, 404, "Not Found");
    const trace = isRunKey(key) ? await this.#traceOf(key) : undefined;
    if (trace === undefined) return problem(ctx, 404, "Not Found", "no run of that instance and sequence is kept");
    if (test === undefined) return sendJson(ctx, JSON.stringify(planOf(trace, this.#around(trace))));
    this.#serveTest(ctx, trace);
  }

  #serveTest(ctx: Context, trace: Trace): void {
    const plan = planOf(trace, this.#around(trace));
    const [list] = ctx.queryParams("beans");
    const defaults = plan.beans.filter(({ isDefault }) => isDefault).map(({ bean }) => bean);
    const beans = list === undefined ? defaults : readBeans(list.replaceAll("%", "%25"));
    if (beans === undefined || beans.length === 0)
      return problem(ctx, 400, "Bad Request", "beans is a list of the graph's ids: A,B");
    const refusal = plan.testRefusal ?? this.#refusalOfBeans(trace, beans);
    if (refusal !== undefined) return problem(ctx, 409, "Conflict", `the run cannot be saved as a test: ${refusal}`);
    const commit = this.#sources.kept.sessionOf(trace.instance)?.commit ?? null;
    ctx.setHeader("Content-Disposition", `attachment; filename="${testFileName(trace)}"`);
    ctx.setHeader("Content-Type", "text/plain; charset=utf-8").text(testFile(trace, beans, commit));
  }

  async #traceOf(key: string): Promise<Trace | undefined> {
    const text = await this.#sources.kept.textOf(key);
    return text === undefined ? undefined : (JSON.parse(text) as Trace);
  }

  #around({ instance }: Trace): Surroundings {
    const { kept, reviver, session } = this.#sources;
    return {
      graph: this.#sources.graph(),
      reviver,
      session,
      recordedBy: kept.sessionOf(instance),
      ticket: this.#ticket,
      jobs: this.#sources.jobs()?.names ?? [],
    };
  }

  /** Why the request cannot replay that run, or undefined if it can. */
  #refusalOf(ctx: Context, trace: Trace, beans: readonly string[]): string | undefined {
    const { method, path, kind } = trace;
    if (kind !== undefined) return "the run is no request: nobody can send it again";
    if (this.#sources.isIgnored(ctx))
      return "requests like this one are not recorded: Devtools.create({ ignore }) says so";
    const now = this.#sources.pathOf(ctx);
    const isSame = ctx.method === method && (now === path || path.includes(REDACTED));
    return isSame
      ? this.#refusalOfBeans(trace, beans)
      : `the run is of ${method} ${path}, and this is ${ctx.method} ${now}`;
  }

  #refusalOfBeans(trace: Trace, beans: readonly string[]): string | undefined {
    const around = this.#around(trace);
    const own = (bean: string): Call[] => trace.calls.filter((call) => call.bean === bean);
    return beans.map((bean) => refusalOf(bean, own(bean), around)).find((refusal) => refusal !== undefined);
  }
}
