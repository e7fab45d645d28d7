/**
 * Similar statements. One bean sends them again and again, although one statement for all of them would do: with other values
 * that is N+1, with the same values a result that could be kept. Pure.
 */

import type { Leaf, Trace } from "../shapes.ts";
import { callerOf } from "../calls.ts";
import { oneLine, shapeOf } from "../statements.ts";

/** Statements of one shape below one bean, or below the request itself. */
export interface Alike {
  /** The first of them, on one line. */
  readonly statement: string;
  /** The bean's id, or null for the request itself. */
  readonly bean: string | null;
  readonly ids: readonly number[];
  /** Whether all have the same text and the same parameters. */
  readonly isEqual: boolean;
  /** The time of all statements after the first, in sum. */
  readonly wastedUs: number;
}

/** Two can be two questions; from three on it is a loop. */
const ALIKE_FROM = 3;

/** The groups of a run, the most wasteful first. */
export function alikeStatements({ calls, leaves }: Pick<Trace, "calls" | "leaves">): Alike[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const groups = new Map<string, { readonly bean: string | null; readonly own: Leaf[] }>();
  for (const leaf of leaves) {
    if (leaf.kind !== "sql") continue;
    const bean = callerOf(leaf, byId)?.bean ?? null;
    const key = JSON.stringify([bean, shapeOf(leaf.detail.statement)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { bean, own: [leaf] });
    else group.own.push(leaf);
  }
  return [...groups.values()]
    .filter(({ own }) => own.length >= ALIKE_FROM)
    .map(({ bean, own }) => ({
      statement: own[0]?.kind === "sql" ? oneLine(own[0].detail.statement) : "",
      bean,
      ids: own.map(({ id }) => id),
      isEqual: new Set(own.map(textOf)).size === 1,
      wastedUs: own.slice(1).reduce((sum, { durationUs }) => sum + (durationUs ?? 0), 0),
    }))
    .sort((a, b) => b.wastedUs - a.wastedUs);
}

/** A statement with its parameters. */
const textOf = ({ kind, detail }: Leaf): string =>
  kind === "sql" ? JSON.stringify([detail.statement, detail.parameters]) : "";
