/**
 * How the application's facts come into the page.
 *
 *   source.load ──▶ graph, routes (at the start, when the stream is back: it may be a new process, and when it says so)
 *   stream (JSON text) ──▶ at most 200 wait ──▶ one flush a frame ──▶ parsed ──▶ merged, newest first
 *   list (with them, and after a gap) ──▶ holes in the sequence are counted as missed ──▶ merged
 *
 * A flood has a constant cost, since dropped runs were never parsed. While paused, all runs except the page's own last one
 * wait unseen.
 */

import { batch, signal, type Signal } from "@preact/signals";
import type { Trace } from "../../run/shapes.ts";
import { createAsk } from "../page/asking.ts";
import { jsonOf } from "../../run/values.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { inFlightSlice } from "./in-flight.ts";
import { keptSlice } from "./kept.ts";
import { minuteSlice } from "./minute.ts";
import { createMissedCounter } from "./missed.ts";
import { sourceSlice } from "./source.ts";

const MAX_WAITING = 200;

/** Loading, listening and pausing. */
export function liveSlice(use: Use) {
  const paused = signal(false);
  const waiting = signal(0);
  const intake = createIntake(use, paused, waiting);
  const loading = createLoading(use, intake);
  return {
    paused,
    /** How many runs wait for the pause to end. */
    waiting,
    ...loading,
    setPaused: (pause: boolean): void => {
      paused.value = pause;
      if (pause) return;
      intake.flush();
      void loading.catchUp();
    },
    listen: (): (() => void) => listen(use, intake, loading),
  };
}

type Intake = ReturnType<typeof createIntake>;

function createIntake(use: Use, paused: Signal<boolean>, waiting: Signal<number>) {
  const { nextFrame } = use(browserSlice);
  const { exchangeId } = use(selectionSlice);
  const { receive, missed } = use(keptSlice);
  const minute = use(minuteSlice);
  let queued: string[] = [];
  let requested = false;
  const counter = createMissedCounter();
  const isOwn = (trace: Trace): boolean => trace.correlationId !== null && trace.correlationId === exchangeId.value;
  const flush = (): void => {
    requested = false;
    if (paused.value) {
      const own = exchangeId.value;
      if (own !== null)
        receive(
          queued
            .filter((json) => json.includes(own))
            .flatMap(parse)
            .filter(isOwn),
        );
      waiting.value = queued.length;
      return;
    }
    if (queued.length === 0) return;
    const fresh = queued.flatMap(parse);
    queued = [];
    counter.seen(fresh);
    batch(() => {
      waiting.value = 0;
      receive(fresh);
    });
  };
  return {
    /** Takes runs from the list immediately. */
    put: (list: readonly Trace[]): void =>
      batch(() => {
        const lost = counter.listed(list);
        missed.value += lost;
        minute.listed(list, lost > 0);
        receive(paused.value ? list.filter(isOwn) : list);
      }),
    /** A run from the stream, as JSON; shown with the next frame. */
    queue: (json: string): void => {
      queued.push(json);
      if (queued.length > MAX_WAITING) queued = queued.slice(-MAX_WAITING);
      if (requested) return;
      requested = true;
      nextFrame(flush);
    },
    flush,
  };
}

/** The stream's data is made by our own server; a cut or foreign line is left out. */
function parse(json: string): Trace | readonly [] {
  return (jsonOf(json) as Trace | undefined) ?? [];
}

type Loading = ReturnType<typeof createLoading>;

function createLoading(use: Use, intake: Intake) {
  const { live, routes, panels, mount, failure, loaded, online } = use(applicationSlice);
  const source = use(sourceSlice);
  const ask = createAsk(failure);
  /** Requests graph and routes. Of several requests the last one counts. Unchanged parts are not redrawn. */
  const describe = (): Promise<void> =>
    ask(async () => {
      const data = await source.load();
      return () => {
        renew(live, data.graph);
        renew(routes, data.routes);
        renew(panels, data.panels);
        mount.value = data.mount;
        loaded.value = true;
      };
    });
  const catchUp = oneAtATime(async () => {
    try {
      intake.put(await source.read("requests"));
    } catch {
      online.value = false;
    }
  });
  return { describe, catchUp, load: (): Promise<unknown> => Promise.all([describe(), catchUp()]) };
}

/** Sets only a changed value, so that the camera and the fields of an editor otherwise stay. */
function renew<T>(shown: Signal<T>, now: T): void {
  if (JSON.stringify(shown.value) !== JSON.stringify(now)) shown.value = now;
}

/** Runs one after the other. A call made while another one waits to begin shares that one. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= last = last.then(() => {
      next = undefined;
      return run();
    }));
}

/**
 * Listens to the stream. When it opens, everything is reloaded, because it may be a new process, and earlier changes are
 * not reported. When it is lost, one load shows whether the application is down or only the stream.
 */
function listen(use: Use, intake: Intake, { describe, load, catchUp }: Loading): () => void {
  const { changes, online } = use(applicationSlice);
  const change = (): void => void (changes.value += 1);
  return use(sourceSlice).listen({
    trace: intake.queue,
    started: use(inFlightSlice).hear,
    gap: () => void catchUp(),
    changed: () => {
      change();
      void describe();
    },
    online: (now) => {
      if (now) change();
      if (now || online.value !== false) void load();
      online.value = now;
    },
  });
}
