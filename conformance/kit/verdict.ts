/**
 * From outcomes to verdicts.
 *
 *   outcome of each case ──▶ verdict of the requirement (its worst case) ──▶ exit code of the run
 */
import type { Requirement } from "../../spec/requirements.ts";

/** The outcome of one case: the promise was kept, was broken, or the suite itself failed. */
export type Outcome = "held" | "violated" | "crashed";

/**
 * pass · fail (a MUST broken) · warn (a SHOULD) · note (a MAY) · error (the suite failed) ·
 * n/a (the subject does not declare the feature) · unrun (nothing that could prove it is available).
 */
export type Verdict = "pass" | "fail" | "warn" | "note" | "error" | "n/a" | "unrun";

const broken = { MUST: "fail", SHOULD: "warn", MAY: "note" } as const;
const worstFirst = ["error", "fail", "warn", "note", "pass"] as const;

/** The verdict of a requirement of this level from the outcomes of its cases, or "unrun" if there are none. */
export function verdictOf(level: Requirement["level"], outcomes: readonly Outcome[]): Verdict {
  const verdicts = outcomes.map((outcome): Verdict => {
    if (outcome === "held") return "pass";
    return outcome === "violated" ? broken[level] : "error";
  });
  return worstFirst.find((verdict) => verdicts.includes(verdict)) ?? "unrun";
}

/**
 * 0 conformant · 1 not conformant · 2 no trustworthy result: the suite failed, or nothing was proven.
 * A failure in `knownFailing` does not count.
 */
export function exitCode(
  results: readonly { readonly id: string; readonly verdict: Verdict }[],
  knownFailing: ReadonlySet<string> = new Set(),
): 0 | 1 | 2 {
  const ran = results.filter(({ verdict }) => verdict !== "n/a" && verdict !== "unrun");
  if (ran.length === 0 || ran.some(({ verdict }) => verdict === "error")) return 2;
  return ran.some(({ id, verdict }) => verdict === "fail" && !knownFailing.has(id)) ? 1 : 0;
}
