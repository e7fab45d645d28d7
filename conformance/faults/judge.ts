/**
 * Does the suite notice a fault? The judge runs the touched cases with the fault in their probe until one fails. Cases of
 * the fault's own chapter run first, then the quickest.
 *
 *   fault ──▶ touched cases ──▶ one fails          noticed, by its clause
 *                           └─▶ none does          survived … unless its chapter says that it is unspecified
 *
 * A fault that a chapter leaves open must be noticed twice, the second time when nothing else runs.
 */
import type { Unspecified } from "../../spec/clauses.ts";
import type { Chapter } from "../kit/chapters.ts";
import { runOne, type Ran } from "../kit/run.ts";
import { touches, type Subjects } from "../kit/selftest.ts";
import type { Fault } from "./fault.ts";

/** The verdict on a fault. */
export type Fate = "noticed" | "survived" | "unspecified" | "crashed" | "without effect";

/** A fault and its verdict. */
export interface Judged {
  readonly fault: Fault;
  readonly fate: Fate;
  /** The ids that failed, by default only the first. */
  readonly by: readonly string[];
}

/** The part of a fault that a chapter refers to. */
type Named = Pick<Fault, "target" | "kind" | "when">;

/** What the judge needs. */
export interface Court {
  readonly seen: readonly Ran[];
  readonly subjects: Subjects;
  readonly chapters: readonly Chapter[];
  /** Runs every touched case, to find all that notice the fault. */
  readonly exhaustive: boolean;
  /** The timeout of each wait of a case. */
  readonly timeoutMs: number;
}

/** Runs the suite against the fault. */
export async function judgeFault(fault: Fault, court: Court): Promise<Judged> {
  const isOpen = isUnspecified(fault, court.chapters);
  if (fault.kind === "unseen") return { fault, fate: isOpen ? "unspecified" : "survived", by: [] };
  const { profile } = fault.when ?? {};
  const touched = court.seen.filter(
    (ran) => (profile === undefined || ran.case.profile === profile) && touches(fault, ran),
  );
  if (touched.length === 0) return { fault, fate: "without effect", by: [] };
  const { by, crashed } = await noticed(fault, inOrder(fault, touched, court), court);
  if (crashed.length > 0) return { fault, fate: "crashed", by: crashed };
  if (by.length > 0) return { fault, fate: "noticed", by };
  return { fault, fate: isOpen ? "unspecified" : "survived", by };
}

/**
 * The final verdict on a fault, when the other faults are done. If it was noticed although its chapter leaves it open, the
 * failed cases run again with more time, since a case may have failed only because the machine was busy.
 */
export async function judgeAgain(judged: Judged, court: Court): Promise<Judged> {
  const { fault, fate } = judged;
  if (fate !== "noticed" || !isUnspecified(fault, court.chapters)) return judged;
  const failed = court.seen.filter(({ case: { id } }) => judged.by.includes(id));
  const { by } = await noticed(fault, failed, { ...court, timeoutMs: 4 * court.timeoutMs });
  return by.length > 0 ? { ...judged, by } : { fault, fate: "unspecified", by };
}

async function noticed(
  fault: Fault,
  touched: readonly Ran[],
  { subjects, exhaustive, timeoutMs }: Court,
): Promise<{ readonly by: readonly string[]; readonly crashed: readonly string[] }> {
  const by = new Set<string>();
  for (const { case: next } of touched) {
    const url = subjects.get(next.profile);
    if (url === undefined) continue;
    const { outcome, reason = "" } = await runOne(next, url, { timeoutMs, relay: fault });
    if (outcome === "crashed") return { by: [...by], crashed: [`${next.id}: ${reason}`] };
    if (outcome === "violated") by.add(next.id);
    if (by.size > 0 && !exhaustive) break;
  }
  return { by: [...by].toSorted(), crashed: [] };
}

/**
 * A fault on which one of these cases fails, or undefined if they pass all. Faults named in the sentence of their clause
 * come first, then those of its chapter, and within these groups those that keep the shape.
 */
export async function faultThatFails(
  mine: readonly Ran[],
  faults: readonly Fault[],
  { sentence, chapter }: { readonly sentence: string; readonly chapter: string },
  { subjects, timeoutMs }: Pick<Court, "subjects" | "timeoutMs">,
): Promise<Fault | undefined> {
  const names = [...sentence.matchAll(/`([\w.]+)`/g)].map(([, name]) => `.${name ?? ""}.`);
  const isNamed = ({ target }: Fault): boolean =>
    names.some((name) => `.${target.replaceAll(/[^\w.]+/g, ".")}.`.includes(name));
  const quick = ({ kind, target }: Fault): boolean =>
    kind !== "missing" && kind !== "null" && !target.startsWith("status");
  const rank = (fault: Fault): number =>
    (isNamed(fault) ? 0 : 4) + (fault.chapter === chapter ? 0 : 2) + (quick(fault) ? 0 : 1);
  for (const fault of faults.toSorted((a, b) => rank(a) - rank(b)))
    for (const ran of mine.filter((one) => touches(fault, one))) {
      const url = subjects.get(ran.case.profile);
      const { outcome } = url === undefined ? ran : await runOne(ran.case, url, { timeoutMs, relay: fault });
      if (outcome === "violated") return fault;
    }
  return undefined;
}

/** Cases of the fault's own chapter first, then the quickest. */
function inOrder({ chapter }: Fault, touched: readonly Ran[], { chapters }: Court): readonly Ran[] {
  const own = new Set(chapters.find(({ name }) => name === chapter)?.clauses.map(({ id }) => id));
  const rank = (ran: Ran): number => ran.durationMs + (own.has(ran.case.id) ? 0 : 100_000);
  return touched.toSorted((a, b) => rank(a) - rank(b));
}

/** Does a chapter say that the fault breaks no promise? */
export function isUnspecified(fault: Named, chapters: readonly Chapter[]): boolean {
  return chapters.some(({ unspecified }) => unspecified.some((row) => leavesOpen(row, fault)));
}

/** Does this row of a chapter cover the fault? */
export function leavesOpen(row: Unspecified, { target, kind, when }: Named): boolean {
  const isIt = (name: string): boolean =>
    row.target.endsWith("…") ? name.startsWith(row.target.slice(0, -1)) : name === row.target;
  const isMeant = isIt(target) || (when !== undefined && isIt(when.of));
  return isMeant && (row.kinds.length === 0 || row.kinds.includes(kind));
}
