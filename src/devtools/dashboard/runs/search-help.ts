/**
 * The fields of a search, which the application's devtools list. They are read when somebody opens the help.
 */

import { signal } from "@preact/signals";
import type { Answers } from "../../run/analyses.ts";
import { createAsk } from "../page/asking.ts";
import type { Use } from "../store/slice.ts";
import { sourceSlice } from "./source.ts";

/** The help of the search. */
export function searchHelpSlice(use: Use) {
  const { ask } = use(sourceSlice);
  const fields = signal<Answers["syntax"]>([]);
  const failure = signal<string | null>(null);
  const askLast = createAsk(failure);
  return {
    fields,
    failure,
    load: (): Promise<void> =>
      askLast(async () => {
        const all = fields.peek().length > 0 ? fields.peek() : await ask("syntax", {});
        return () => (fields.value = all);
      }),
  };
}
