/**
 * Runs cases against one subject, one after the other, and reports the result of each.
 *
 * A case of another profile, or of a clause whose feature the subject does not declare, is not run.
 */
import type { Static } from "typebox";
import { requirements, type Feature, type Requirement } from "../../spec/requirements.ts";
import { SubjectAbout } from "../../spec/subject.ts";
import type { Case } from "./case.ts";
import type { Exchange, StreamStep } from "./exchange.ts";
import { Probe, type ProbeOptions } from "./probe.ts";
import type { Outcome } from "./verdict.ts";
import { Violation } from "./violation.ts";

/** What a subject says of itself (spec/subject.md). */
export type About = Static<typeof SubjectAbout>;

/** What became of one case. */
export interface Ran {
  readonly case: Case;
  readonly outcome: Outcome;
  readonly reason: string | undefined;
  readonly exchanges: readonly Exchange[];
  readonly steps: readonly StreamStep[];
  readonly durationMs: number;
}

/** One subject and what ran against it. */
export interface SubjectRun {
  readonly url: string;
  readonly about: About;
  readonly ran: readonly Ran[];
}

/** Asks the subject what it is. Throws an Error with a sentence when it does not say. */
export async function ask(base: URL, options: ProbeOptions = {}): Promise<About> {
  const probe = new Probe(base, options);
  try {
    return probe.json(SubjectAbout, await probe.send("GET", "/__subject/about"));
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`${base.href} is no subject that the suite can talk to (spec/subject.md): ${why}`, {
      cause: error,
    });
  }
}

/** Does the subject declare what this case and its clause need, and is it set up as the case wants it? */
export function applies({ id, profile, features }: Case, about: About): boolean {
  const has = features.every((name) => about.features.includes(name));
  return profile === about.profile && has && declared(requirements[id], about);
}

/** Does the subject declare every feature that the requirement names? */
export function declared(requirement: Requirement, { features }: About): boolean {
  return lacking(requirement, features).length === 0;
}

/** The features that the requirement names and that are not among these. */
export function lacking({ feature = [] }: Requirement, features: readonly string[]): readonly Feature[] {
  const needed = typeof feature === "string" ? [feature] : feature;
  return needed.filter((name) => !features.includes(name));
}

/** Asks the subject what it is, and runs those of the cases that apply to it, in order. */
export async function runAgainst(base: URL, cases: readonly Case[], options: ProbeOptions = {}): Promise<SubjectRun> {
  const about = await ask(base, options);
  const ran: Ran[] = [];
  for (const next of cases) if (applies(next, about)) ran.push(await runOne(next, base, options));
  return { url: base.href, about, ran };
}

/**
 * Runs one case, on a subject that has forgotten the evidence of those before. Whatever a case throws that is no
 * Violation is a fault of the suite.
 */
export async function runOne(found: Case, base: URL, options: ProbeOptions = {}): Promise<Ran> {
  const probe = new Probe(base, options);
  const began = performance.now();
  const result = (outcome: Outcome, reason?: string): Ran => ({
    case: found,
    outcome,
    reason,
    exchanges: probe.exchanges,
    steps: probe.steps,
    durationMs: performance.now() - began,
  });
  // A subject that cannot reset is judged by what the case then sees.
  await new Probe(base, options).reset().catch(() => undefined);
  try {
    await found.run(probe);
    return result("held");
  } catch (error) {
    if (error instanceof Violation) return result("violated", error.message);
    return result("crashed", error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    probe.close();
  }
}
