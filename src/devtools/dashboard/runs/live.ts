/**
 * How the application's facts come into the page.
 *
 *   source.load ──▶ graph, routes (at the start, when the stream is back: it may be a new process, and when it says so)
 *   stream (JSON text) ──▶ at most 200 wait ──▶ one flush a frame ──▶ parsed ──▶ merged, newest first
 *   list (with them, and after a gap) ──▶ holes in the sequence are counted as missed ──▶ merged
 *
 * A flood costs a constant amount: what is dropped was never parsed. While paused, all but the page's own last run
 * wait unseen.
 */

import { batch, signal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { Trace } from "../../run/shapes.ts";
import { createAsk } from "../page/asking.ts";
import { jsonOf } from "../page/guards.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { inFlightSlice } from "./in-flight.ts";
import { keptSlice } from "./kept.ts";
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

/** What takes runs in. */
interface Intake {
  /** Runs from the list, at once. */
  readonly put: (fresh: readonly Trace[]) => void;
  /** A run from the stream, as JSON; shown with the next frame. */
  readonly queue: (json: string) => void;
  /** Shows what waits. */
  readonly flush: () => void;
}

function createIntake(use: Use, paused: Signal<boolean>, waiting: Signal<number>): Intake {
  const { nextFrame } = use(browserSlice);
  const { exchangeId } = use(selectionSlice);
  const { receive, missed } = use(keptSlice);
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
    put: (list) =>
      batch(() => {
        missed.value += counter.listed(list);
        receive(paused.value ? list.filter(isOwn) : list);
      }),
    queue: (json) => {
      queued.push(json);
      if (queued.length > MAX_WAITING) queued = queued.slice(-MAX_WAITING);
      if (requested) return;
      requested = true;
      nextFrame(flush);
    },
    flush,
  };
}

/** What the stream carries is made by our own server; a line that is cut or foreign is left out. */
function parse(json: string): Trace | readonly [] {
  return (jsonOf(json) as Trace | undefined) ?? [];
}

interface Loading {
  /** Asks for graph and routes; of several at once the last one counts. What is as it was is not drawn again. */
  readonly describe: () => Promise<void>;
  /** Asks for them and for the list of runs. */
  readonly load: () => Promise<unknown>;
  /** Asks for the list of runs. */
  readonly catchUp: () => Promise<void>;
}

function createLoading(use: Use, intake: Intake): Loading {
  const { live, routes, panels, mount, failure, loaded, online } = use(applicationSlice);
  const source = use(sourceSlice);
  const ask = createAsk(failure);
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
      intake.put(await source.requests());
    } catch {
      online.value = false;
    }
  });
  return { describe, catchUp, load: () => Promise.all([describe(), catchUp()]) };
}

/** Sets what is other than before: the camera and the fields of an editor stay where nothing has changed. */
function renew<T>(shown: Signal<T>, now: T): void {
  if (JSON.stringify(shown.value) !== JSON.stringify(now)) shown.value = now;
}

/** Runs one after the other; a call made while another one waits to begin shares that one. */
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
 * Listens to the stream. When it opens, everything is loaded anew: it may be a new process, and what has changed before is
 * not told. When it is lost, loading once shows whether the application is down or only the stream.
 */
function listen(use: Use, intake: Intake, { describe, load, catchUp }: Loading): () => void {
  const { online } = use(applicationSlice);
  return use(sourceSlice).listen({
    trace: intake.queue,
    started: use(inFlightSlice).hear,
    gap: () => void catchUp(),
    changed: () => void describe(),
    online: (now) => {
      if (now || online.value !== false) void load();
      online.value = now;
    },
  });
}
