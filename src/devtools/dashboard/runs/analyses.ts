/**
 * Analyses of runs, which the application's devtools make (run/analyses.ts).
 *
 *   runs ──▶ their keys, or whole if devtools do not hold them ──▶ source.ask ──▶ the result
 */

import type { Answers, Questions, SentRun } from "../../run/analyses.ts";
import { traceKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { applicationSlice } from "../store/application.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { NotHeld, sourceSlice } from "./source.ts";

type Named = Pick<Trace, "instance" | "sequence"> & Partial<Pick<Trace, "request">>;
/** The form of a run in a question, or nothing if neither the page nor the application has it. */
type Send = (run: Named) => readonly SentRun[];

const isWhole = (run: Named): run is Trace => run.request !== undefined;

/** A function that requests an analysis. */
export function analysesSlice(use: Use) {
  const { opened } = use(applicationSlice);
  const { runOf } = use(selectionSlice);
  const { ask } = use(sourceSlice);
  /** The keys of runs that the application has said it does not hold. */
  const missing = new Set<string>();
  const send: Send = (run) => {
    const key = traceKey(run);
    const held = runOf(key);
    // With its parts in other services it is another run than the application has.
    const whole = isWhole(run) ? run : held;
    const isKept = !missing.has(key) && !opened.peek().has(key);
    return isKept && (whole === held || whole === null) ? [key] : whole === null ? [] : [whole];
  };
  return async <K extends keyof Answers>(name: K, question: (send: Send) => Questions[K]): Promise<Answers[K]> => {
    for (;;)
      try {
        return await ask(name, question(send));
      } catch (error) {
        const known = missing.size;
        if (error instanceof NotHeld) for (const key of error.missing) missing.add(key);
        if (missing.size === known) throw error;
      }
  };
}
