/**
 * The editor's content for each route: as typed, or else an example from the route's last run that worked.
 */

import { batch, computed } from "@preact/signals";
import type { RouteInfo, Trace } from "../../run/shapes.ts";
import { remembered } from "../page/storage.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { isRunOf } from "../store/entries.ts";
import { routeKey } from "../../run/format.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { exampleDraft } from "./draft.ts";
import type { Draft } from "./draft-text.ts";

/** The key where drafts are remembered, only for the session, since they may hold secrets. */
export const DRAFTS_KEY = "framework-dev.drafts";

const isDrafts = (value: unknown): value is Record<string, Draft> => typeof value === "object" && value !== null;

/** The draft of the selected route, and its edits. */
export function draftsSlice(use: Use) {
  const { session } = use(browserSlice);
  const { routes, traces } = use(applicationSlice);
  const { notice } = use(panelsSlice);
  const { route, routeId } = use(selectionSlice);
  const drafts = remembered(session, DRAFTS_KEY, {}, isDrafts);
  // Not reactive, so that arriving traffic does not change the editor during the user's work.
  const exampleOf = (of: RouteInfo): Draft => {
    const runs = traces.peek().filter((trace) => isRunOf(trace, of));
    // The handlers of a WebSocket have neither query nor headers.
    const requests = runs.filter(({ kind }) => kind === undefined);
    const draft = exampleDraft(of, requests.find(({ status }) => status < 400) ?? requests[0] ?? runs[0]);
    // Hidden values would have to be typed again.
    return draft.leftOut && of.example ? exampleDraft(of, undefined) : draft;
  };
  const draft = computed(() => route.value && (drafts.value[routeKey(route.value)] ?? exampleOf(route.value)));
  const setDraft = (change: Partial<Draft>): void => {
    if (!route.value || !draft.value) return;
    drafts.value = { ...drafts.value, [routeKey(route.value)]: { ...draft.value, ...change } };
  };
  return {
    draft,
    setDraft,
    resetDraft: (): void => {
      if (route.value) setDraft(exampleOf(route.value));
    },
    editRun: (trace: Trace): void => {
      const of = routes.value.find((r) => isRunOf(trace, r));
      if (!of) {
        notice.value = "This run belongs to no route of the application.";
        return;
      }
      batch(() => {
        routeId.value = routeKey(of);
        setDraft(exampleDraft(of, trace));
      });
    },
  };
}
