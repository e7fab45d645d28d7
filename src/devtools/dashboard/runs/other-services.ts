/**
 * The parts of the selected run and of the marked ones in other services on this machine, each requested from the application's
 * own server.
 *
 *   selected, A, B ──▶ their http leaves that name a run ──▶ …/api/remote ──▶ application.services ──▶ the run is whole
 *   the server says that something has changed ──▶ runs of spans are requested again
 */

import { batch, effect } from "@preact/signals";
import { messageOf } from "../../run/format.ts";
import type { ServiceRun } from "../../run/shapes.ts";
import { readReference } from "../../run/otlp/reference.ts";
import { applicationSlice } from "../store/application.ts";
import { behindKey, runsBehind, type RunBehind } from "../store/across-services.ts";
import { browserSlice } from "../store/browser.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { NotHeld, sourceSlice } from "./source.ts";

/** The most that are kept; those of older runs are requested again. */
const MAX_KEPT = 100;
/** A run is held after its end, which may be a moment after its response: it is requested again after this, then twice this … */
const AGAIN_MS = 300;
const LAST_MS = 2_400;

/** Sends requests until the returned function is called. */
export function followServices(use: Use): () => void {
  const { changes, services } = use(applicationSlice);
  const { trace, callId, leafId, marks, runOf } = use(selectionSlice);
  const { remote } = use(sourceSlice);
  const { wait } = use(browserSlice);
  const asked = new Set<string>();
  /** The number of changes at which a run of spans was requested. Further spans of it may have arrived since. */
  const askedAt = new Map<string, number>();
  const read = async (one: RunBehind, againMs = AGAIN_MS): Promise<ServiceRun> => {
    try {
      return await remote(one);
    } catch (error) {
      if (!(error instanceof NotHeld) || againMs > LAST_MS) throw error;
      await wait(againMs);
      return read(one, 2 * againMs);
    }
  };
  const ask = async (one: RunBehind): Promise<void> => {
    const found = await read(one).catch(messageOf);
    const key = behindKey(one);
    asked.delete(key);
    if (JSON.stringify(found) === JSON.stringify(services.value.get(key))) return;
    const kept = [...services.value].slice(-MAX_KEPT + 1);
    const isShown = trace.value && runsBehind(trace.value, services.value).some((own) => behindKey(own) === key);
    batch(() => {
      services.value = new Map([...kept, [key, found]]);
      // Calls and leaves are renumbered with the new ones between.
      if (isShown && typeof found === "object") callId.value = leafId.value = null;
    });
  };
  return effect(() => {
    const now = changes.value;
    const runs = [trace.value, runOf(marks.value.a), runOf(marks.value.b)].flatMap((run) => run ?? []);
    for (const one of runs.flatMap((run) => runsBehind(run, services.value))) {
      const key = behindKey(one);
      const isOld = (askedAt.get(key) ?? now) !== now;
      if (asked.has(key) || (services.value.has(key) && !isOld)) continue;
      asked.add(key);
      if (readReference(one.id) !== undefined) askedAt.set(key, now);
      void ask(one);
    }
  });
}
