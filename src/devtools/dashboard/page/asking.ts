/**
 * Requests to the application: of several, only the last one counts, and the reason of its failure is kept.
 */

import { batch, type Signal } from "@preact/signals";
import { messageOf } from "../../run/format.ts";

/**
 * Sends a request, and calls the function that it resolves to. An earlier request is ignored; its promise waits for the last one.
 */
export type Ask = (question: () => Promise<() => void>) => Promise<void>;

/** A function that sends requests and keeps in `failure` why the last one failed, or null if it did not. */
export function createAsk(failure: Signal<string | null>): Ask {
  let last: Promise<void> | undefined;
  return (question) => {
    const isLast = (): boolean => last === asked;
    const asked: Promise<void> = question()
      .then((show) => {
        if (!isLast()) return;
        batch(() => {
          show();
          failure.value = null;
        });
      })
      .catch((error: unknown) => {
        if (isLast()) failure.value = messageOf(error);
      })
      .then(() => (isLast() ? undefined : last));
    last = asked;
    return asked;
  };
}
