/**
 * Asking the application for something: of several questions the last one counts, and why it failed is kept.
 */

import { messageOf } from "./format.ts";
import { batch } from "./signals.ts";
import type { Signal } from "./signals.ts";

/** Asks; what the question resolves to is called at once, and what an earlier question brings late is ignored. */
export type Ask = (question: () => Promise<() => void>) => Promise<void>;

/** A way to ask that keeps in `failure` why the last question failed; null where it did not. */
export function createAsk(failure: Signal<string | null>): Ask {
  let latest: unknown;
  return async (question) => {
    latest = question;
    try {
      const show = await question();
      if (latest === question)
        batch(() => {
          show();
          failure.value = null;
        });
    } catch (error) {
      if (latest === question) failure.value = messageOf(error);
    }
  };
}
