/**
 * The sides of a comparison, and the cost of a bean in each run.
 */

/** The run or runs that something belongs to. */
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

/** How often, and for how long in total. */
export interface Spent {
  readonly count: number;
  readonly totalUs: number;
}
