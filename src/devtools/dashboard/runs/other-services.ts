/**
 * The parts of the selected run and of the marked ones in other services on this machine, each requested once from the
 * application's own server.
 *
 *   selected, A, B ──▶ their http leaves that name a run ──▶ …/api/remote ──▶ application.services ──▶ the run is whole
 */

import { batch, effect } from "@preact/signals";
import { messageOf } from "../../run/format.ts";
import { applicationSlice } from "../store/application.ts";
import { behindKey, runsBehind, type RunBehind } from "../store/across-services.ts";
import { browserSlice } from "../store/browser.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { parseServiceRun } from "./run-file.ts";
import { NotHeld, sourceSlice } from "./source.ts";

/** The most that are kept; those of older runs are requested again. */
const MAX_KEPT = 100;
/** A run is held after its end, which may be a moment after its response. */
const AGAIN_MS = 300;

/** Sends requests until the returned function is called. */
export function followServices(use: Use): () => void {
  const { services } = use(applicationSlice);
  const { trace, callId, leafId, marks, runOf } = use(selectionSlice);
  const { remote } = use(sourceSlice);
  const { wait } = use(browserSlice);
  const asked = new Set<string>();
  const read = async (one: RunBehind): Promise<string> => {
    try {
      return await remote(one);
    } catch (error) {
      if (!(error instanceof NotHeld)) throw error;
      await wait(AGAIN_MS);
      return remote(one);
    }
  };
  const ask = async (one: RunBehind): Promise<void> => {
    const found = await read(one).then(parseServiceRun).catch(messageOf);
    const key = behindKey(one);
    const kept = [...services.value].slice(-MAX_KEPT + 1);
    const isShown = trace.value && runsBehind(trace.value, services.value).some((own) => behindKey(own) === key);
    batch(() => {
      services.value = new Map([...kept, [key, found]]);
      // Calls and leaves are renumbered with the new ones between.
      if (isShown && typeof found === "object") callId.value = leafId.value = null;
    });
    asked.delete(key);
  };
  return effect(() => {
    const runs = [trace.value, runOf(marks.value.a), runOf(marks.value.b)].flatMap((run) => run ?? []);
    for (const one of runs.flatMap((run) => runsBehind(run, services.value))) {
      const key = behindKey(one);
      if (asked.has(key) || services.value.has(key)) continue;
      asked.add(key);
      void ask(one);
    }
  });
}
