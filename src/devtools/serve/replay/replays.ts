/**
 * Replays: the header that requests one, and the data about a run before that.
 *
 *   X-Framework-Replay ──▶ guard ──▶ the kept run ──▶ can it be? ──▶ the request runs with recorded results
 *                            │ 403       └── 400, 409: nothing has run ──┘           └── ended early: 409 in place of the response
 *                            └ a client that devtools do not serve: the header is ignored
 *
 *   …/api/replays/{run} ──▶ ReplayPlan        …/api/replays/{run}/test?beans= ──▶ a test
 *
 * Spec: spec/replay.md
 */
import type { Context } from "framework";
import type { BeanGraph, Call, ReplayProblem, Trace } from "../../run/shapes.ts";
import { REPLAY_HEADER, REDACTED } from "../../run/wire.ts";
import { problem, reject, sendJson, sendProblem } from "../endpoints.ts";
import type { Verdict } from "../guard.ts";
import type { SessionLine } from "../../keep/history/lines.ts";
import type { KeptRuns } from "../../keep/kept-runs.ts";
import { recordedCall } from "../../record/replay/flaws.ts";
import { isRunKey, readBeans, readReplay, type ReplayRequest } from "./header.ts";
import { notesOf, planOf, refusalOf, type Surroundings } from "./plan.ts";
import { problemOf } from "../../record/replay/problem.ts";
import { Replay } from "../../record/replay/replay.ts";
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
}

/** A request with the header, with its content or its mistake, and the guard's verdict. */
export interface AskedReplay {
  readonly asked: ReplayRequest | string;
  readonly verdict: Verdict;
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
    const { beans, whatIf } = asked;
    const { reviver } = this.#sources;
    const refusal = this.#refusalOf(ctx, trace, beans) ?? flawOfWhatIf(trace.calls, whatIf, reviver);
    if (refusal !== undefined) return problemOf(409, refusal);
    const { instance, sequence } = trace;
    const calls = trace.calls.filter(({ bean }) => beans.includes(bean)).map(recordedCall);
    const notes = notesOf(trace, new Set(beans), this.#around(trace));
    const profiling = asked.isProfiled ? Profiling.begin(this.#sources.stacks) : undefined;
    if (typeof profiling === "string") return problemOf(409, profiling);
    const given = whatIf.length === 0 ? {} : { whatIf, supposed: new SupposedCalls(trace.calls, whatIf) };
    return new Replay({ instance, sequence, beans, notes, calls, profiling, ...given }, reviver);
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
