/**
 * What the user decides: drafts, theme, pins, "Only reachable", and runs saved to and opened from files.
 */

import { batch } from "@preact/signals";
import type { Trace } from "../../wire.ts";
import { exampleDraft } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { mergeTraces } from "../runs/history.ts";
import { formatRun, parseRun } from "../runs/run-file.ts";
import { DRAFTS_KEY, FOCUS_KEY } from "../store/state.ts";
import type { State, Surroundings, View } from "../store/state.ts";
import { remember, THEME_KEY } from "../page/storage.ts";
import type { Theme } from "../page/tokens.ts";
import { routeKey, traceKey } from "../store/keys.ts";

/** Edits of what will be sent. */
export function createDrafting(state: State, view: View, around: Surroundings) {
  const setDraft = (change: Partial<Draft>): void => {
    const { route } = state;
    const draft = view.draft.value;
    if (route.value === null || draft === null) return;
    state.drafts.value = { ...state.drafts.value, [routeKey(route.value)]: { ...draft, ...change } };
    remember(around.session, DRAFTS_KEY, state.drafts.value);
  };
  const resetDraft = (): void => {
    const { route } = state;
    if (route.value !== null) setDraft(view.exampleOf(route.value));
  };
  const editRun = (trace: Trace): void => {
    const route = state.routes.value.find((r) => r.method === trace.method && r.path === trace.route);
    if (route === undefined) {
      state.notice.value = "This run belongs to no route of the application, so there is nothing to fill in.";
      return;
    }
    batch(() => {
      state.routeId.value = routeKey(route);
      setDraft(exampleDraft(route, trace));
    });
  };
  return { setDraft, resetDraft, editRun };
}

/** Choices that stay. */
export function createChoices(state: State, around: Surroundings) {
  return {
    setTheme: (theme: Theme): void => {
      state.theme.value = theme;
      remember(around.local, THEME_KEY, theme);
    },
    setOnlyReachable: (only: boolean): void => {
      state.onlyReachable.value = only;
      remember(around.local, FOCUS_KEY, only);
    },
    togglePin: (key: string): void => {
      const pinned = new Set(state.pinned.value);
      if (!pinned.delete(key)) pinned.add(key);
      state.pinned.value = pinned;
    },
  };
}

/** Runs as files. */
export function createFiles(state: State, selectTrace: (trace: Trace) => void) {
  return {
    /** The selected run as the text of a file; undefined without one. */
    savedRun: (): string | undefined => {
      const trace = state.trace.value;
      return trace === null ? undefined : formatRun({ trace, graph: state.graph.value, entries: state.entries.value });
    },
    /** Opens a saved run: it joins History, is selected, and is drawn on the graph it ran in. */
    openRun: async (file: Pick<File, "name" | "text">): Promise<void> => {
      try {
        const run = parseRun(await file.text());
        batch(() => {
          const key = traceKey(run.trace);
          state.opened.value = new Map([...state.opened.value, [key, run]]);
          state.traces.value = mergeTraces(state.traces.value, [run.trace], new Set([key]));
          selectTrace(run.trace);
          if (state.detail.value === "compare") state.detail.value = "response";
        });
      } catch (error) {
        state.notice.value = `${file.name}: ${error instanceof Error ? error.message : String(error)}`;
      }
    },
  };
}
