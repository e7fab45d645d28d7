/**
 * The keys of a run in a list: A and B mark it for comparison, P pins it, E edits its request.
 */

import type { Trace } from "../../run/shapes.ts";
import { traceKey } from "../../run/format.ts";
import { onKeys, type KeyActs } from "../page/on-keys.ts";
import { selection } from "../store/page-store.ts";
import { kept } from "./page-runs.ts";

/** Handles these keys, and `more`. */
export function runKeys(
  trace: Trace,
  onEdit: (trace: Trace) => void,
  more: KeyActs = {},
): (event: KeyboardEvent) => void {
  return onKeys({
    a: () => selection.mark("a", trace),
    b: () => selection.mark("b", trace),
    p: () => kept.togglePin(traceKey(trace)),
    e: () => onEdit(trace),
    ...more,
  });
}
