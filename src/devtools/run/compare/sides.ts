/**
 * Which of two compared runs something belongs to, and what a bean cost in each.
 */

/** Which of the two runs something belongs to. */
export type Side = "both" | "a" | "b";

/** One bean in both runs; a count of zero means that the run did not call it. */
export interface BeanChange {
  readonly id: string;
  readonly side: Side;
  readonly a: Spent;
  readonly b: Spent;
  /** B minus A. */
  readonly deltaUs: number;
}

/** How often, and how long in all. */
export interface Spent {
  readonly count: number;
  readonly totalUs: number;
}
