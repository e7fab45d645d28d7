/**
 * Runs cases against one subject, one after the other, and tells what became of each.
 *
 * A case of another profile, or of a clause whose feature the subject does not declare, is not run.
 */
import type { Static } from "typebox";
import { requirements, type Requirement } from "../../spec/requirements.ts";
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

/** Does the subject declare what the clause of this case needs, and is it set up as the case wants it? */
export function applies({ id, profile }: Case, about: About): boolean {
  return profile === about.profile && declared(requirements[id], about);
}

/** Does the subject declare the feature that the requirement names, if it names one? */
export function declared({ feature }: Requirement, { features }: About): boolean {
  return feature === undefined || features.includes(feature);
}

/** Runs every given case, in order. */
export async function run(cases: readonly Case[], base: URL, options: ProbeOptions = {}): Promise<readonly Ran[]> {
  const results: Ran[] = [];
  for (const next of cases) results.push(await runOne(next, base, options));
  return results;
}

/**
 * Runs one case, on a subject that has forgotten the evidence of those before. Whatever a case throws that is no
 * Violation is a fault of the suite.
 */
export async function runOne(found: Case, base: URL, options: ProbeOptions = {}): Promise<Ran> {
  const probe = new Probe(base, options);
  const result = (outcome: Outcome, reason?: string): Ran => ({
    case: found,
    outcome,
    reason,
    exchanges: probe.exchanges,
    steps: probe.steps,
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
