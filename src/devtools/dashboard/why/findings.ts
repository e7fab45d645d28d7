/**
 * The findings of a run in the Why tab: in groups, each with the word for its kind.
 */

import { explain } from "../../run/explain/explain.ts";
import type { Finding, FindingKind } from "../../run/explain/findings.ts";
import type { Trace } from "../../run/shapes.ts";

/** The word for each kind, and the group that it belongs to. */
const kinds = {
  error: ["Error", "wrong"],
  contract: ["Contract", "wrong"],
  swallowed: ["Swallowed", "wrong"],
  unfinished: ["Not awaited", "wrong"],
  difference: ["Different", "wrong"],
  logged: ["Logged", "wrong"],
  "failed-request": ["Failed request", "wrong"],
  "repeated-statement": ["Repeated", "time"],
  "repeated-call": ["Repeated", "time"],
  sequence: ["In sequence", "time"],
  slow: ["Slow", "time"],
  "own-time": ["Own time", "time"],
  "critical-path": ["Longest chain", "time"],
  dropped: ["Not recorded", "missing"],
} as const satisfies Readonly<Record<FindingKind, readonly [word: string, group: string]>>;

/** The groups, in the order of a debugger's questions. */
const titles = { wrong: "What went wrong", time: "Where the time went", missing: "What is missing here" };

/** Some findings under one title. */
export interface FindingGroup {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** The findings of a run in groups. `good` is a run of the same request that worked, if one is known. */
export function findingGroups(trace: Trace, good: Trace | undefined): readonly FindingGroup[] {
  const all = explain(trace, good);
  const groups = Object.entries(titles).map(([group, title]) => ({
    title,
    findings: all.filter(({ kind }) => kinds[kind][1] === group),
  }));
  return groups.filter(({ findings }) => findings.length > 0);
}

/** The word for a finding. */
export const wordOf = ({ kind }: Finding): string => kinds[kind][0];
