/**
 * Verdict: is a row met, and by what?
 *
 *   measured reaches the target, give or take the control's deviation          ──▶ "target"
 *   measured reaches what a person writes by hand, less what its twin strays   ──▶ "hand-written"
 *   neither                                                                    ──▶ "short"
 */

/** What a measured figure is held against. */
export interface Bar {
  /** `atLeast`: more is better (ratios). `atMost`: less is better (µs, milliseconds, growth). */
  readonly is: "atLeast" | "atMost";
  readonly target: number;
  /** What the hand-written server reached, where there is one. */
  readonly hand?: { readonly reached: number; readonly tolerance: number } | undefined;
  /** What the control strayed by, in the unit of the figure. */
  readonly tolerance: number;
}

/** By what a row is met; "short" when it is not. */
export type Verdict = "target" | "hand-written" | "short";

/** Judges a figure. One that could not be measured is short. */
export function judge(measured: number, { is, target, hand, tolerance }: Bar): Verdict {
  if (!Number.isFinite(measured)) return "short";
  const reaches = (bar: number, less: number): boolean =>
    is === "atLeast" ? measured >= bar - less : measured <= bar + less;
  if (reaches(target, tolerance)) return "target";
  return hand !== undefined && reaches(hand.reached, hand.tolerance) ? "hand-written" : "short";
}
