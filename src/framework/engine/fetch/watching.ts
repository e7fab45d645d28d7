/**
 * Watching for clients that leave while their handlers are pending: put off for some milliseconds, since to look at a
 * request's signal costs Deno as much as the rest of the request, and most handlers have settled by then.
 *
 *   pending ──▶ young ──25 ms──▶ old ──25 ms──▶ watched         one timer for all, and none when nobody is pending
 *                 └──── settled meanwhile: never watched
 *
 * Who is pending is held here, or in `waiting` once it is watched: a handler that waits for nothing that lives would be
 * collected otherwise, and the client's signal with it. Who has settled is let go at once: a request that is kept until the
 * timer comes round outlives the collector's young generation, and costs more than watching it would.
 *
 * Spec: spec/engines.md
 */

/** Somebody whose client may leave. */
export interface Pending {
  /** Notices from now on when the client leaves. */
  watch(): void;
}

/** A place among those who wait to be watched. */
export interface Place {
  /** Undefined once nothing is pending any more. */
  pending: Pending | undefined;
}

const delayMs = 25;
let young: Place[] = [];
let old: Place[] = [];
let isTurning = false;

/** Watches the client within fifty milliseconds, unless its place has been vacated by then. */
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
