/**
 * Verdict: is a row met, and by what?
 *
 *   measured reaches the target, give or take the control's deviation              ──▶ "target"
 *   ours takes no more than what is written by hand, give or take its twin         ──▶ "hand-written"
 *   neither                                                                        ──▶ "short"
 */

/** What a measured figure is held against. */
export interface Bar {
  /** `atLeast`: more is better (ratios). `atMost`: less is better (µs, milliseconds, growth). */
  readonly is: "atLeast" | "atMost";
  readonly target: number;
  /** How much more ours takes than the hand-written server, where there is one, and what cannot be told apart: in one unit. */
  readonly hand?: { readonly more: number; readonly tolerance: number } | undefined;
  /** What the control strayed by, in the unit of the figure. */
  readonly tolerance: number;
}

/** By what a row is met; "short" when it is not. */
export type Verdict = "target" | "hand-written" | "short";

/** Judges a figure. One that could not be measured is short. */
export function judge(measured: number, { is, target, hand, tolerance }: Bar): Verdict {
  if (!Number.isFinite(measured)) return "short";
  if (is === "atLeast" ? measured >= target - tolerance : measured <= target + tolerance) return "target";
  return hand !== undefined && hand.more <= hand.tolerance ? "hand-written" : "short";
}
