/**
 * Changes: the differences between two runs against one subject, clause by clause.
 *
 *   the verdicts that are kept ─┐
 *   those of a new run ─────────┴──▶ failing that did not · passing that did not · otherwise (gone, new, not applicable)
 */
import type { Verdict } from "./verdict.ts";

/** Id → verdict. */
type Verdicts = ReadonlyMap<string, Verdict>;

/** The clauses with a different verdict in a new run, by id. */
export interface Changes {
  /** They fail now. */
  readonly failing: readonly string[];
  /** They were known to fail, and pass now. */
  readonly passing: readonly string[];
  /** Any other change, as `ROUTE-001 pass → n/a`. */
  readonly other: readonly string[];
}

/** The differences of a run from the earlier one. */
export function changesSince(then: Verdicts, today: Verdicts): Changes {
  const differing = [...new Set([...then.keys(), ...today.keys()])].filter((id) => then.get(id) !== today.get(id));
  const failing = differing.filter((id) => today.get(id) === "fail");
  const passing = differing.filter((id) => then.get(id) === "fail" && today.get(id) === "pass");
  const other = differing
    .filter((id) => !failing.includes(id) && !passing.includes(id))
    .map((id) => `${id} ${then.get(id) ?? "not there"} → ${today.get(id) ?? "not there"}`);
  return { failing, passing, other };
}

/** The changes, a line each, or none if nothing has changed. */
export function changesText(name: string, { failing, passing, other }: Changes): readonly string[] {
  const line = (what: string, list: readonly string[]): readonly string[] =>
    list.length === 0 ? [] : [`${name}: ${what}: ${list.join(", ")}`];
  return [
    ...line("fails and did not", failing),
    ...line("was known to fail and passes", passing),
    ...line("otherwise than before", other),
  ];
}
