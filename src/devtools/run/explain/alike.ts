/**
 * Similar statements. One bean sends them again and again, although one statement for all of them would do: with other values
 * that is N+1, with the same values a result that could be kept. Pure.
 */

import type { Leaf, Trace } from "../shapes.ts";
import { callerOf } from "../calls.ts";
import { shapeOf } from "../statements.ts";
import { leafText } from "../spent.ts";
import { groupBy } from "../values.ts";

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

/** The similar statements of a run, the most wasteful first. */
export const alikeStatements = (trace: Pick<Trace, "calls" | "leaves">): Alike[] => alike(trace, "sql");

/** The similar requests to other services, which differ only in numbers and ids. `statement` is the first one's address. */
export const alikeRequests = (trace: Pick<Trace, "calls" | "leaves">): Alike[] => alike(trace, "http");

function alike({ calls, leaves }: Pick<Trace, "calls" | "leaves">, kind: "sql" | "http"): Alike[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const beanOf = (leaf: Leaf | undefined): string | null => (leaf && callerOf(leaf, byId)?.bean) ?? null;
  const keyOf = (leaf: Leaf): string =>
    JSON.stringify([beanOf(leaf), leaf.kind === "sql" ? shapeOf(leaf.detail.statement) : addressShape(leaf)]);
  const statements = leaves.filter((leaf) => leaf.kind === kind);
  return [...groupBy(statements, keyOf).values()]
    .filter((own) => own.length >= ALIKE_FROM)
    .map((own) => ({
      statement: own[0] === undefined ? "" : leafText(own[0]),
      bean: beanOf(own[0]),
      ids: own.map(({ id }) => id),
      isEqual: new Set(own.map(textOf)).size === 1,
      wastedUs: own.slice(1).reduce((sum, { durationUs }) => sum + (durationUs ?? 0), 0),
    }))
    .sort((a, b) => b.wastedUs - a.wastedUs);
}

const textOf = (leaf: Leaf): string =>
  leaf.kind === "sql" ? JSON.stringify([leaf.detail.statement, leaf.detail.parameters]) : leafText(leaf);

/** The address without the parts that name one thing: segments and values with a digit. */
const addressShape = (leaf: Leaf): string => leafText(leaf).replace(/(?<=[/=,])[^/?&=,]*\d[^/?&=,]*/g, "?");
