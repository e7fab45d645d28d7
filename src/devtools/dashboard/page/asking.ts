/**
 * Asking the application for something: of several questions the last one counts, and why it failed is kept.
 */

import { batch } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { messageOf } from "../../run/format.ts";

/** Asks, and calls what the question resolves to. The answer to an earlier question is ignored; its promise waits for the last one. */
export type Ask = (question: () => Promise<() => void>) => Promise<void>;

/** A way to ask that keeps in `failure` why the last question failed; null where it did not. */
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
