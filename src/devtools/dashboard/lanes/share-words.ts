/**
 * What runs share, in words and as Markdown. Pure.
 */

import type { Difference } from "../../run/explain/share.ts";
import { count } from "../../run/format.ts";
import type { Comparison } from "./lanes.ts";

/** `29×`, `4.5×`, `0×`, or `only` if no other run has it. */
export const liftOf = ({ lift }: Difference): string =>
  lift === null ? "only" : `${lift >= 10 || lift === 0 ? Math.round(lift) : lift.toFixed(1)}×`;

/** `12 slow runs`. */
export const setSaid = ({ sides, shared }: Comparison): string => count(shared.ofSet, `${sides.name} run`);

/** `12 of 12, 3 of 88 others`. */
export const countsSaid = ({ inSet, inRest }: Difference, { shared: { ofSet, ofRest } }: Comparison): string =>
  `${inSet} of ${ofSet}, ${inRest} of ${ofRest} others`;

/** The comparison for an issue. */
export function markdownOf(comparison: Comparison): string {
  const { differences, same, ofRest } = comparison.shared;
  const cell = (text: string): string => text.replace(/[\\|]/g, String.raw`\$&`).replace(/\s+/g, " ");
  const rows = differences.map((one) => {
    const facts = one.facts.map(({ text }) => cell(text)).join("; ");
    return `| ${one.facts[0]?.kind ?? ""} | ${facts} | ${one.inSet} | ${one.inRest} | ${liftOf(one)} |`;
  });
  return [
    `### What ${setSaid(comparison)} share, against ${count(ofRest, "other")}`,
    "",
    ...(rows.length === 0
      ? ["Nothing sets them apart."]
      : ["| What | Value | Selected | Others | Lift |", "| --- | --- | ---: | ---: | ---: |", ...rows]),
    "",
    ...(same.length === 0 ? [] : [`No difference: ${same.map(({ text }) => cell(text)).join("; ")}`, ""]),
  ].join("\n");
}
