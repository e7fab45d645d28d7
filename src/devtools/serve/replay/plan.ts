/**
 * Plan: which parts of a kept run can be replayed, before anything runs.
 *
 *   its calls ──▶ by bean: how many, a default?, why not
 *   its session ─▶ notes: an earlier process, another commit, calls that were not kept
 *
 * A bean is a default if it is a repository, or if it called no other one. A bean that was only called below a default is not.
 *
 * Spec: spec/replay.md
 */
import type { BeanGraph, Call, ReplayBean, ReplayPlan, Trace } from "../../run/shapes.ts";
import type { SessionLine } from "../../keep/history/lines.ts";
import { flawOfCall, recordedCall } from "../../record/replay/flaws.ts";
import type { Reviver } from "../../capture/revive.ts";
import { whyNoTest } from "./test-file.ts";

/** The inputs of a plan besides the run. */
export interface Surroundings {
  readonly graph: BeanGraph;
  readonly reviver: Reviver;
  /** Of this process. */
  readonly session: SessionLine;
  /** The process that recorded the run, or undefined if it is unknown. */
  readonly recordedBy: SessionLine | undefined;
  readonly ticket: string | undefined;
  /** The names of the jobs that this process does. */
  readonly jobs: readonly string[];
}

/** The replayable parts of a run. */
export function planOf(trace: Trace, around: Surroundings): ReplayPlan {
  const { instance, sequence, calls } = trace;
  const defaults = defaultsOf(calls);
  return {
    instance,
    sequence,
    beans: [...new Set(calls.map(({ bean }) => bean))].map((bean) => beanOf(bean, trace, defaults, around)),
    notes: notesOf(trace, defaults, around),
    refusal: whyNot(trace, around.jobs) ?? null,
    testRefusal: whyNoTest(trace) ?? null,
    ticket: around.ticket ?? null,
  };
}

/** Why a run cannot be replayed at all, or undefined if it can. */
export function whyNot({ kind, path }: Trace, jobs: readonly string[]): string | undefined {
  if (kind === undefined) return undefined;
  if (kind !== "job") return "it is no request: nobody can send it again";
  return jobs.includes(path) ? undefined : `this process does no job ${path}`;
}

function beanOf(bean: string, { calls }: Trace, defaults: ReadonlySet<string>, around: Surroundings): ReplayBean {
  const own = calls.filter((call) => call.bean === bean);
  return { bean, calls: own.length, isDefault: defaults.has(bean), refusal: refusalOf(bean, own, around) ?? null };
}

/** Why a bean cannot return its recorded results, or undefined if it can. @param own its calls */
export function refusalOf(bean: string, own: readonly Call[], { graph, reviver }: Surroundings): string | undefined {
  const node = graph.nodes.find(({ id }) => id === bean);
  if (node === undefined) return `there is no bean ${bean} here`;
  if (!node.traceable) return `the calls of ${bean} are not recorded here`;
  for (const call of own) {
    const flaw = flawOfCall(recordedCall(call), reviver);
    if (flaw !== undefined) return `${bean}.${call.method}() cannot be replayed: ${flaw}`;
  }
  return undefined;
}

/** Differences since the run was recorded, and effects that a replay with those beans repeats. */
export function notesOf(trace: Trace, beans: ReadonlySet<string>, around: Surroundings): readonly string[] {
  const { instance, droppedCalls } = trace;
  const { session, recordedBy } = around;
  const notes: string[] = [];
  if (instance !== session.instance) {
    const when = recordedBy === undefined ? "" : `, started at ${new Date(recordedBy.startedAt).toISOString()}`;
    notes.push(`the run was recorded by a former process of the application${when}`);
    const [then, now] = [recordedBy?.commit ?? null, session.commit];
    if (then === null || now === null) notes.push("it is not known whether the code is the same");
    else if (then !== now) notes.push(`it was recorded at commit ${shortOf(then)}, and this is ${shortOf(now)}`);
  }
  if (droppedCalls > 0) notes.push(`${droppedCalls} of its calls were not kept`);
  const again = outsideOf(beans, trace);
  const where = beans.size === 0 ? "" : ` outside of ${[...beans].join(", ")}`;
  if (again !== "") notes.push(`what it did${where} is done again: ${again}`);
  return notes;
}

/** `2 sql, 1 http`: the operations outside of those beans, by kind. */
function outsideOf(beans: ReadonlySet<string>, { calls, leaves }: Trace): string {
  const within = new Set<number>();
  for (const { id, parentId, bean } of calls)
    if (beans.has(bean) || (parentId !== null && within.has(parentId))) within.add(id);
  const counts = new Map<string, number>();
  for (const { kind, parentId } of leaves)
    if (kind !== "log" && kind !== "span" && (parentId === null || !within.has(parentId)))
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
}

const shortOf = (commit: string): string => commit.slice(0, 10);

/** Repositories, and beans that called no other, if they were called from outside of those. */
function defaultsOf(calls: readonly Call[]): ReadonlySet<string> {
  const callers = new Set(calls.flatMap(({ parentId }) => (parentId === null ? [] : [calls[parentId]?.bean])));
  const isLast = ({ bean, stereotype }: Call): boolean => stereotype === "repository" || !callers.has(bean);
  const below = new Set<number>();
  const defaults = new Set<string>();
  for (const call of calls) {
    const isBelow = call.parentId !== null && below.has(call.parentId);
    if (!isBelow && isLast(call)) defaults.add(call.bean);
    if (isBelow || isLast(call)) below.add(call.id);
  }
  return defaults;
}
