/**
 * Watches for clients that leave while their handlers are pending. It starts some milliseconds late, since reading a request's
 * signal costs Deno as much as the rest of the request, and most handlers have settled by then.
 *
 *   pending ──▶ young ──25 ms──▶ old ──25 ms──▶ watched         one timer for all, and none when nothing is pending
 *                 └──── settled before that: never watched
 *
 * Pending exchanges are held here, or in `waiting` when watched. Otherwise a handler that waits for nothing alive would be
 * collected, with the client's signal. Settled ones are released immediately, because a request kept until the timer fires
 * outlives the collector's young generation, which costs more than watching it.
 *
 * Spec: spec/engines.md
 */

/** An exchange with a client that may leave. */
export interface Pending {
  /** Notices from now on when the client leaves. */
  watch(): void;
}

/** A place in the list of clients to watch. */
export interface Place {
  /** Undefined when nothing is pending any more. */
  pending: Pending | undefined;
}

const delayMs = 25;
let young: Place[] = [];
let old: Place[] = [];
let isTurning = false;

/** Watches the client within fifty milliseconds, unless its place was vacated by then. */
export function watchSoon(pending: Pending): Place {
  const place: Place = { pending };
  young.push(place);
  if (!isTurning) {
    isTurning = true;
    setTimeout(turn, delayMs);
  }
  return place;
}

function turn(): void {
  const due = old;
  old = young;
  young = [];
  isTurning = old.length > 0;
  if (isTurning) setTimeout(turn, delayMs);
  for (const { pending } of due) pending?.watch();
}
