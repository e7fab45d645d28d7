/**
 * Proves that the suite can fail: a mutant must fail exactly the cases of its declared ids.
 *
 *   reference run ──▶ what each case saw ──▶ does the mutant change any of it?
 *                                              no  ──▶ it passes as it passed
 *                                              yes ──▶ run it again, the mutant in its probe
 *
 * Skipping the untouched cases is sound because a rewrite is a pure function of the message. It makes hundreds of mutants
 * affordable.
 */
import type { Case, Profile } from "./case.ts";
import type { Mutant } from "./mutant.ts";
import type { Relay } from "./relay.ts";
import { runOne, type Ran } from "./run.ts";

/** The address of the subject of each profile. */
export type Subjects = ReadonlyMap<Profile, URL>;

/** The effect of a mutant on the suite. */
export interface Judgement {
  readonly mutant: Mutant;
  /** Ids with a failing case, sorted. */
  readonly failed: readonly string[];
  /** Cases that failed because of a fault of their own. */
  readonly crashed: readonly string[];
  readonly ran: readonly Ran[];
}

/** Longer than any promise of the subject takes, but short enough for hundreds of mutants. */
const timeoutMs = 3_000;

/** Runs the cases against the conformant subjects. */
export async function reference(cases: readonly Case[], subjects: Subjects): Promise<readonly Ran[]> {
  const results: Ran[] = [];
  for (const next of cases) {
    const url = subjects.get(next.profile);
    if (!url) throw new Error(`no subject of the profile ${next.profile} was started`);
    results.push(await runOne(next, url));
  }
  return results;
}

/** Does the mutant change anything that this case saw? */
export function touches(mutant: Relay, { exchanges, steps }: Pick<Ran, "exchanges" | "steps">): boolean {
  return (
    (mutant.rewriteChunk !== undefined && steps.length > 0) ||
    exchanges.some((exchange) => mutant.rewrite(exchange) !== exchange) ||
    steps.some((step) => {
      const [first, ...others] = mutant.rewriteItem(step);
      return first !== step.item || others.length > 0;
    })
  );
}

/** Runs the cases that the mutant touches, through it. */
export async function judge(mutant: Mutant, seen: readonly Ran[], subjects: Subjects): Promise<Judgement> {
  const ran: Ran[] = [];
  for (const [profile, url] of subjects) {
    const touched = seen.filter((result) => result.case.profile === profile && touches(mutant, result));
    if (touched.length === 0) continue;
    for (const { case: next } of touched) ran.push(await runOne(next, url, { timeoutMs, relay: mutant }));
  }
  const ids = ran.filter(({ outcome }) => outcome === "violated").map((result) => result.case.id);
  const crashed = ran.filter(({ outcome }) => outcome === "crashed").map(({ case: { id, title } }) => `${id} ${title}`);
  return { mutant, failed: [...new Set(ids)].toSorted(), crashed, ran };
}

/** The errors of a judgement, as sentences, or none if the mutant did exactly what it declares. */
export function complaints({ mutant, failed, crashed }: Judgement): readonly string[] {
  const declared = new Set<string>(mutant.kills);
  return [
    ...mutant.kills.filter((id) => !failed.includes(id)).map((id) => `${mutant.name} should fail ${id}, which passes`),
    ...failed
      .filter((id) => !declared.has(id))
      .map((id) => `${mutant.name} fails ${id} too, which it does not declare`),
    ...crashed.map((name) => `${mutant.name} makes a case crash: ${name}`),
  ];
}
