/**
 * The panels of plugins: the open one, and its last value.
 */

import { signal } from "@preact/signals";
import type { Panel } from "../../run/shapes.ts";
import { createAsk } from "../page/asking.ts";
import { sourceSlice } from "../runs/source.ts";
import type { Use } from "../store/slice.ts";

/** The open panel, and the action that reads it. */
export function pluginPanelsSlice(use: Use) {
  const source = use(sourceSlice);
  const panel = signal<Panel | null>(null);
  const failure = signal<string | null>(null);
  const ask = createAsk(failure);
  return {
    panel,
    failure,
    /** Reads a panel again; a late response to an earlier request is ignored. */
    read: (name: string): Promise<void> =>
      ask(async () => {
        const read = await source.read(`panels/${name}`);
        return () => (panel.value = read);
      }),
  };
}
