/**
 * Causes that several clauses share: one fault of a subject counts once, even if many clauses fail on it.
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

/** The causes of more than one clause, the largest group first. */
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
 * The exchanges that a case failed on, by request and status, or none if the failed one of many is not known. A response that
 * only shows the effects of earlier exchanges may belong to different faults. For it, the finding is the cause.
 */
function causesOf({ failed, reason = "", comparison }: Failure): readonly (readonly [key: string, cause: string])[] {
  if (failed.some(isObservation)) return [[reason, short(reason)]];
  if (failed.length > 1 && (comparison?.rows.length ?? 0) === 0) return [];
  return failed.map((exchange) => [JSON.stringify([withoutTokens(exchange), exchange.status]), summary(exchange)]);
}

/** The request, without the random words of one request. */
const withoutTokens = ({ sent }: Exchange): string => JSON.stringify(sent).replaceAll(token, "…");

const token = /\b[0-9a-f]{16}\b/g;

function summary({ sent: { method, target }, status }: Exchange): string {
  const where = short(target.replaceAll(token, "…"), 100);
  return `${method || "(bytes)"} ${where} → ${status === 0 ? "no response" : status}`;
}
