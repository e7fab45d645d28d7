/**
 * One sample of each line of the graph, and its meaning, for the legend below it and for the help.
 */

import type { JSX } from "preact";

/** The meaning of each line. Grey is a dependency; in a method's colour are calls, dotted those of only run A, dashed only run B. */
export const LINES = {
  depends: "depends on",
  called: "called",
  aside: "called, off the critical path",
  undeclared: "called, not declared",
  both: "both runs",
  a: "only A",
  b: "only B",
} as const;

/** A kind of line. */
export type LineKind = keyof typeof LINES;

const classes: Readonly<Partial<Record<LineKind, string>>> = {
  depends: "thin",
  aside: "aside",
  a: "dotted",
  b: "dashed",
};

/** The line as the graph draws it. */
export function LineSample({ kind }: { readonly kind: LineKind }): JSX.Element {
  const end = kind === "depends" ? "M24 1 30 4 24 7z" : kind === "undeclared" ? "M22 0 31 4 22 8z" : "M23 0 31 4 23 8z";
  return (
    <svg width="34" height="8" aria-hidden="true" class="line-sample">
      <path class={classes[kind] ?? "bold"} d="M1 4H24" />
      <path class={kind === "depends" ? "thin-head" : kind === "undeclared" ? "hollow" : "solid"} d={end} />
    </svg>
  );
}
