/**
 * Watching for clients that leave while their handlers are pending: put off for some milliseconds, since to look at a
 * request's signal costs Deno as much as the rest of the request, and most handlers have settled by then.
 *
 *   pending ──▶ young ──25 ms──▶ old ──25 ms──▶ watched         one timer for all, and none when nobody is pending
 *                 └──── settled meanwhile: never watched
 *
 * Who is pending is held here, or in `waiting` once it is watched: a handler that waits for nothing that lives would be
 * collected otherwise, and the client's signal with it.
 *
 * Spec: spec/engines.md (ENGINE), spec/lifecycle.md (LIFE)
 */

/** Somebody whose client may leave. */
export interface Pending {
  /** Is nothing pending any more? */
  readonly isSettled: boolean;
  /** Notices from now on when the client leaves. */
  watch(): void;
}

const delayMs = 25;
let young: Pending[] = [];
let old: Pending[] = [];
let isTurning = false;

/** Watches the client within fifty milliseconds, unless the response is there by then. */
export function watchSoon(pending: Pending): void {
  young.push(pending);
  if (isTurning) return;
  isTurning = true;
  setTimeout(turn, delayMs);
}

function turn(): void {
  const due = old;
  old = young;
  young = [];
  isTurning = old.length > 0;
  if (isTurning) setTimeout(turn, delayMs);
  for (const pending of due) if (!pending.isSettled) pending.watch();
}
