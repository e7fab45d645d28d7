/**
 * The page's one store: signals that views read (state.ts), and the actions that change them.
 *
 *   Source ──▶ intake ──▶ state (signals) ──▶ views ──▶ actions ──▶ state
 *
 * Views never fetch. The actions are grouped by what they are about: store-intake.ts (runs that come in),
 * store-select.ts (what is looked at), store-send.ts (requests), store-choices.ts (what the user decides).
 */

import { batch, effect } from "@preact/signals";
import { createState, derive } from "./state.ts";
import type { State, Surroundings } from "./state.ts";
import { createChoices, createDrafting, createFiles } from "../request/drafts.ts";
import { clearHistory, createIntake } from "../runs/live.ts";
import type { Intake } from "../runs/live.ts";
import { createSelection, openLink } from "./selection.ts";
import { createSend } from "../request/send.ts";

/** Makes the store. Nothing is fetched before `start`. */
export function createStore(around: Surroundings) {
  const state = createState(around);
  const view = derive(state);
  const intake = createIntake(state, around);
  const selection = createSelection(state);
  const drafting = createDrafting(state, view, around);
  const { load, catchUp } = createLoading(state, around, intake);
  const open = (hash: string): void => openLink(state, selection, hash);
  const start = (): (() => void) => {
    void load().then(() => open(location.hash));
    effect(() => {
      document.documentElement.dataset["theme"] = state.theme.value;
    });
    return listen(state, around, intake, { load, catchUp });
  };
  return {
    ...state,
    ...view,
    ...selection,
    ...drafting,
    ...createChoices(state, around),
    ...createFiles(state, selection.selectTrace),
    ...createSend(state, view, around, { catchUp, ...drafting, ...selection }),
    load,
    start,
    openLink: open,
    clearHistory: () => clearHistory(state),
    setPaused: (paused: boolean) => {
      state.paused.value = paused;
      if (paused) return;
      intake.flush();
      void catchUp();
    },
  };
}

/** The store of a page. */
export type Store = ReturnType<typeof createStore>;

interface Loading {
  readonly load: () => Promise<void>;
  readonly catchUp: () => Promise<void>;
}

function createLoading(state: State, { source }: Surroundings, intake: Intake): Loading {
  return {
    load: async () => {
      try {
        const data = await source.load();
        batch(() => {
          state.live.value = data.graph;
          state.routes.value = data.routes;
          intake.put(data.traces);
          state.failure.value = null;
          state.loaded.value = true;
        });
      } catch (error) {
        state.failure.value = error instanceof Error ? error.message : String(error);
      }
    },
    catchUp: alone(async () => {
      try {
        intake.put(await source.requests());
      } catch {
        state.online.value = false;
      }
    }),
  };
}

/** Runs one after the other; who asks while one waits to begin shares it. */
function alone(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () =>
    (waiting ??= last = last.then(() => {
      waiting = undefined;
      return run();
    }));
}

/**
 * Listens to the stream. When it is back after a break, everything is asked for anew: it may be a new process. When it
 * is lost, asking once tells whether the application is down or only the stream.
 */
function listen(state: State, { source }: Surroundings, intake: Intake, { load, catchUp }: Loading): () => void {
  let opened = false;
  return source.listen({
    trace: intake.hear,
    gap: () => void catchUp(),
    online: (online) => {
      const lost = !online && state.online.value !== false;
      if (lost || (online && (opened || state.failure.value !== null))) void load();
      opened ||= online;
      state.online.value = online;
    },
  });
}
