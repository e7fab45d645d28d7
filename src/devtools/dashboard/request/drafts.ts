/**
 * The editor's content for each route: as typed, or else the request of the selected run, or else an example from the route's
 * last run that worked.
 *
 *   typed and not sent ──▶ the draft     else, with a run ──▶ its request     else ──▶ the last sent draft, or an example
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
import { exchangesSlice } from "./exchanges.ts";

/** The key where drafts are remembered, only for the session, since they may hold secrets. */
export const DRAFTS_KEY = "framework-dev.drafts";

const isDrafts = (value: unknown): value is Record<string, Draft> => typeof value === "object" && value !== null;

/** The draft of the selected route, and its edits. */
export function draftsSlice(use: Use) {
  const { session } = use(browserSlice);
  const { routes } = use(applicationSlice);
  const { notice } = use(panelsSlice);
  const { route, routeId, trace: selected } = use(selectionSlice);
  const drafts = remembered(session, DRAFTS_KEY, {}, isDrafts);
  const draft = computed(() => {
    const of = route.value;
    if (!of) return null;
    const stored = drafts.value[routeKey(of)];
    return stored?.isTyped ? stored : (requestOf(use, of, stored) ?? stored ?? exampleFor(use, of));
  });
  const store = (next: Draft): void => {
    if (route.value) drafts.value = { ...drafts.value, [routeKey(route.value)]: next };
  };
  const setDraft = (change: Partial<Draft>): void => {
    if (draft.value) store({ ...draft.value, ...change, isTyped: true });
  };
  return {
    draft,
    setDraft,
    /** Keeps the draft as sent, so that nothing in it is typed and unsent. */
    markSent: (sentAs: string): void => {
      if (draft.value) store({ ...draft.value, isTyped: false, sentAs });
    },
    resetDraft: (): void => {
      if (route.value) setDraft(exampleFor(use, route.value));
    },
    editRun: (trace: Trace): void => {
      const of = routes.value.find((r) => isRunOf(trace, r));
      if (!of) {
        notice.value = "This run belongs to no route of the application.";
        return;
      }
      batch(() => {
        routeId.value = routeKey(of);
        if (selected.value !== trace) return setDraft(exampleDraft(of, trace));
        drafts.value = Object.fromEntries(Object.entries(drafts.value).filter(([key]) => key !== routeKey(of)));
      });
    },
  };
}

/** An example of a route. It is not reactive, so that arriving traffic does not change the editor during the user's work. */
function exampleFor(use: Use, of: RouteInfo): Draft {
  const { traces } = use(applicationSlice);
  const runs = traces.peek().filter((trace) => isRunOf(trace, of));
  // The handlers of a WebSocket have neither query nor headers.
  const requests = runs.filter(({ kind }) => kind === undefined);
  const draft = exampleDraft(of, requests.find(({ status }) => status < 400) ?? requests[0] ?? runs[0]);
  // Hidden values would have to be typed again.
  return draft.leftOut && of.example ? exampleDraft(of, undefined) : draft;
}

/** The request of the selected run, or undefined if none is selected that this route answered. */
function requestOf(use: Use, of: RouteInfo, stored: Draft | undefined): Draft | undefined {
  const run = use(selectionSlice).trace.value;
  if (!run || run.kind || !isRunOf(run, of)) return undefined;
  // The recording may lack what was sent, such as hidden values.
  const isStored = stored?.sentAs !== undefined && stored.sentAs === run.correlationId;
  return isStored ? stored : (use(exchangesSlice).exchange.value?.sent ?? exampleDraft(of, run));
}
