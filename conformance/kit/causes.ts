/**
 * What several clauses fail on: a fault of a subject is one fault, however many clauses see it.
 *
 *   ROUTE-003 ✗ GET /users/%zz → 500 ┐
 *   ERR-001   ✗ GET /users/%zz → 500 ┴──▶ { cause: "GET /users/%zz → 500", ids: ["ERR-001", "ROUTE-003"] }
 */
import { isObservation, short, type Exchange } from "./exchange.ts";
import type { Ran } from "./run.ts";

/** A cause, and the clauses that fail on it, sorted. */
export interface Cause {
  readonly cause: string;
  readonly ids: string[];
}

type Failure = Pick<Ran, "failed" | "reason" | "comparison"> & { readonly case: Pick<Ran["case"], "id"> };

/** The causes that more than one clause has, those of the most clauses first. */
export function sharedCauses(failures: readonly Failure[]): Cause[] {
  const found = new Map<string, { readonly cause: string; readonly ids: Set<string> }>();
  for (const failure of failures)
    for (const [key, cause] of causesOf(failure)) {
      const known = found.get(key) ?? { cause, ids: new Set() };
      known.ids.add(failure.case.id);
      found.set(key, known);
    }
  return [...found.values()]
    .filter(({ ids }) => ids.size > 1)
    .map(({ cause, ids }) => ({ cause, ids: [...ids].toSorted() }))
    .toSorted((one, other) => other.ids.length - one.ids.length || one.cause.localeCompare(other.cause));
}

/**
 * The exchanges that a case failed on, by what was sent and which status came; none where it is not known which of many it
 * was. Where it read a response that only shows what others have left, the same exchange need not be the same fault: there
 * it is what was found.
 */
function causesOf({ failed, reason = "", comparison }: Failure): readonly (readonly [key: string, cause: string])[] {
  if (failed.some(isObservation)) return [[reason, short(reason)]];
  if (failed.length > 1 && (comparison?.rows.length ?? 0) === 0) return [];
  return failed.map((exchange) => [JSON.stringify([withoutTokens(exchange), exchange.status]), summary(exchange)]);
}

/** What was sent, without the words that are made up for one request. */
const withoutTokens = ({ sent }: Exchange): string => JSON.stringify(sent).replaceAll(token, "…");

const token = /\b[0-9a-f]{16}\b/g;

function summary({ sent: { method, target }, status }: Exchange): string {
  const where = short(target.replaceAll(token, "…"), 100);
  return `${method || "(bytes)"} ${where} → ${status === 0 ? "no response" : status}`;
}
