/**
 * Runs cases against one subject, one after the other, and reports the result of each.
 *
 *   ask ──▶ case ──▶ case ──▶ … ──▶ SubjectRun
 *            └─ an exchange has `timeoutMs`, all of them together have `deadlineMs`
 *
 * A case does not run if it has another profile, or if the subject does not declare a feature of its clause.
 */
import type { Static } from "typebox";
import { requirements, type Feature, type Requirement } from "../../spec/requirements.ts";
import { SubjectAbout } from "../../spec/subject.ts";
import type { Case } from "./case.ts";
import type { Comparison } from "./comparison.ts";
import type { Exchange, StreamStep } from "./exchange.ts";
import type { Way } from "./curl.ts";
import { Probe, type ProbeOptions } from "./probe.ts";
import { http2 } from "./transport.ts";
import type { Outcome } from "./verdict.ts";
import { Violation } from "./violation.ts";

/** A subject's description of itself (spec/subject.md). */
export type About = Static<typeof SubjectAbout>;

/** The result of one case. */
export interface Ran {
  readonly case: Case;
  readonly outcome: Outcome;
  readonly reason: string | undefined;
  /** Expected and actual values. */
  readonly comparison: Comparison | undefined;
  /** The exchanges that failed. */
  readonly failed: readonly Exchange[];
  readonly exchanges: readonly Exchange[];
  readonly steps: readonly StreamStep[];
  readonly durationMs: number;
}

/** One subject and its results. */
export interface SubjectRun extends Way {
  readonly about: About;
  readonly ran: readonly Ran[];
  /** How many cases did not finish before the deadline, including the interrupted one. */
  readonly left: number;
}

/** Options of a run. */
export interface RunOptions extends ProbeOptions {
  /** The time limit of the whole run (ten minutes). */
  readonly deadlineMs?: number;
  /** Called when a case begins. The first has number 1. */
  readonly begins?: (next: Case, number: number, count: number) => void;
}

/** Asks the subject for its description, with retries, since a run needs it. Throws an Error with a sentence if it gets none. */
export async function ask(base: URL, options: ProbeOptions = {}): Promise<About> {
  const probe = new Probe(base, { ...options, timeoutMs: Math.max(15_000, options.timeoutMs ?? 0) });
  try {
    return probe.json(SubjectAbout, await probe.send("GET", "/__subject/about"));
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`${base.href} is no subject that the suite can talk to (spec/subject.md): ${why}`, {
      cause: error,
    });
  }
}

/** Does the subject declare the features of this case and its clause, and does it have the profile of the case? */
export function applies({ id, profile, features }: Case, about: About): boolean {
  const has = features.every((name) => about.features.includes(name));
  return profile === about.profile && has && declared(requirements[id], about);
}

/** Does the subject declare every feature that the requirement names? */
export function declared(requirement: Requirement, { features }: About): boolean {
  return lacking(requirement, features).length === 0;
}

/** The features of the requirement that are not among these. */
export function lacking({ features: needed }: Requirement, features: readonly string[]): readonly Feature[] {
  return needed.filter((name) => !features.includes(name));
}

/** Asks the subject for its description, and runs the cases that apply to it, in order. */
export async function runAgainst(
  base: URL,
  cases: readonly Case[],
  { deadlineMs = 600_000, begins, ...options }: RunOptions = {},
): Promise<SubjectRun> {
  const signal = AbortSignal.timeout(deadlineMs);
  const about = await ask(base, options);
  const applying = cases.filter((next) => applies(next, about));
  const ran: Ran[] = [];
  for (const [at, next] of applying.entries()) {
    begins?.(next, at + 1, applying.length);
    const result = await runOne(next, base, { ...options, signal });
    if (signal.aborted) break;
    ran.push(result);
  }
  const way = { url: base.href, http2: options.transport === http2, insecure: options.insecure ?? false };
  return { ...way, about, ran, left: applying.length - ran.length };
}

/**
 * Runs one case, after the subject has discarded earlier evidence. Anything that a case throws except a Violation is a
 * fault of the suite.
 */
export async function runOne(found: Case, base: URL, options: ProbeOptions = {}): Promise<Ran> {
  const probe = new Probe(base, options);
  const began = performance.now();
  const result = (outcome: Outcome, reason?: string, comparison?: Comparison): Ran => ({
    case: found,
    outcome,
    reason,
    comparison,
    failed: outcome === "held" ? [] : probe.failed,
    exchanges: probe.exchanges,
    steps: probe.steps,
    durationMs: performance.now() - began,
  });
  // If a subject cannot reset, the cases judge it by what they see.
  await new Probe(base, options).reset().catch(() => undefined);
  try {
    await found.run(probe);
    return result("held");
  } catch (error) {
    if (error instanceof Violation) return result("violated", error.message, error.comparison);
    return result("crashed", error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    probe.close();
  }
}
