/**
 * The selection in the address of the page, so that it can be shared, and Back and Forward walk it.
 *
 *   selection ──▶ link ──▶ a new entry of the browser's history, or the present one
 *   address ──▶ openLink ──▶ runs that the page lacks are read ──▶ selection │ a sentence for each unknown part
 */

import { batch, computed, effect } from "@preact/signals";
import { messageOf, routeKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { runReader } from "../runs/earlier.ts";
import { historySlice } from "../runs/history.ts";
import { keptSlice } from "../runs/kept.ts";
import { behindKey, runsBehind } from "../store/across-services.ts";
import { applicationSlice } from "../store/application.ts";
import { detailTabs, panelsSlice, places } from "../store/panels.ts";
import { searchSlice } from "../store/search.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { FIRST_PLACE, formatLink, isStep, parseLink, usualTab, type Link } from "./address.ts";

/** The link to the selection, and the way back from a link. */
export function linkSlice(use: Use) {
  const { place, list, detail, notice } = use(panelsSlice);
  const { text } = use(searchSlice);
  const { filter } = use(historySlice);
  const { routeId, traceId, bean, callId, leafId, marks, runOf } = use(selectionSlice);
  const read = createRead(use);
  let latest: Link | undefined;
  let opening = false;
  let stopWaiting = (): void => undefined;
  const during = (act: () => void): void => {
    opening = true;
    batch(act);
    opening = false;
  };
  return {
    link: computed(() =>
      formatLink({
        place: place.value === FIRST_PLACE ? null : place.value,
        route: routeId.value,
        trace: traceId.value,
        tab: detail.value === usualTab(place.value, bean.value) ? null : detail.value,
        bean: bean.value,
        call: callId.value === null ? null : String(callId.value),
        leaf: leafId.value === null ? null : String(leafId.value),
        list: list.value === "requests" ? null : list.value,
        q: text.value || null,
        brush: filter.value.between?.join("-") ?? null,
        a: marks.value.a,
        b: marks.value.b,
      }),
    ),
    /** Whether a link is being followed at this moment, so that the change is not a step of the user. */
    isOpening: (): boolean => opening,
    /** Shows the place of a link, before anything is loaded. */
    openPlace: (hash: string): void => {
      place.value = places.find((one) => one === parseLink(hash).place) ?? FIRST_PLACE;
    },
    /** Shows what a link leads to. Unknown parts are left out, with a sentence for each. */
    openLink: async (hash: string): Promise<void> => {
      const link = (latest = parseLink(hash));
      const lost: string[] = [];
      const keys = [...new Set([link.trace, link.a, link.b])].flatMap((key) => key ?? []);
      const missing = keys.filter((key) => runOf(key) === null);
      const fresh = missing.length === 0 ? [] : await read(missing, lost);
      if (latest !== link) return;
      stopWaiting();
      const finish = (): void => {
        showCall(use, link, lost);
        if (lost.length > 0) notice.value = lost.join(" ");
      };
      during(() => {
        showRuns(use, link, fresh, lost);
        showPanels(use, link, lost);
        if (isWhole(use)) finish();
      });
      if (!isWhole(use)) stopWaiting = whenWhole(use, () => during(finish));
    },
  };
}

/** A function that reads runs that the page lacks. */
function createRead(use: Use): (keys: readonly string[], lost: string[]) => Promise<Trace[]> {
  const read = runReader(use);
  return async (keys, lost) => {
    const found = await Promise.all(
      keys.map((key) =>
        /^[\w-]+\.\d+$/.test(key)
          ? read(key).catch((error: unknown) => `Run ${key} is no longer kept: ${messageOf(error)}.`)
          : Promise.resolve(`“${key}” is not the name of a run.`),
      ),
    );
    return found.flatMap((one) => (typeof one === "string" ? (lost.push(one), []) : [one]));
  };
}

/** Route, run and marked runs. An unchanged selection is left alone, so that its path is not drawn again. */
function showRuns(use: Use, link: Link, fresh: readonly Trace[], lost: string[]): void {
  const { routes } = use(applicationSlice);
  const { routeId, traceId, marks, runOf, selectRoute, selectTrace } = use(selectionSlice);
  const before = { trace: traceId.value, route: routeId.value };
  // Selected first, since a run older than the last hundred stays only while it is selected or marked.
  traceId.value = link.trace;
  marks.value = { a: link.a, b: link.b };
  if (fresh.length > 0) use(keptSlice).merge(fresh);
  marks.value = { a: runOf(link.a) && link.a, b: runOf(link.b) && link.b };
  const run = runOf(link.trace);
  if (run && before.trace === link.trace) return;
  if (run) return selectTrace(run);
  traceId.value = null;
  const isKnown = routes.value.some((route) => routeKey(route) === link.route);
  if (link.route !== null && !isKnown) lost.push(`This application does not have the route ${link.route}.`);
  if (!isKnown || link.route === null) routeId.value = null;
  else if (before.trace !== null || before.route !== link.route) selectRoute(link.route);
}

/** Place, tab, list, search and brush. */
function showPanels(use: Use, link: Link, lost: string[]): void {
  const { place, detail, list } = use(panelsSlice);
  const { text } = use(searchSlice);
  const { filter, setFilter } = use(historySlice);
  const known = <T extends string>(names: readonly T[], name: string | null, usual: T, what: string): T => {
    const found = names.find((one) => one === name);
    if (name !== null && found === undefined) lost.push(`This page has no ${what} “${name}”.`);
    return found ?? usual;
  };
  place.value = known(places, link.place, FIRST_PLACE, "place");
  detail.value = known(detailTabs, link.tab, usualTab(place.value, link.bean), "tab");
  list.value = known(["requests", "history"], link.list, "requests", "list");
  text.value = link.q ?? "";
  const [from, to] = (/^\d{1,15}-\d{1,15}$/.exec(link.brush ?? "")?.[0] ?? "").split("-").map(Number);
  if (link.brush !== null && (to === undefined || from === undefined || from >= to))
    lost.push(`“${link.brush}” is no stretch of time.`);
  const between = from === undefined || to === undefined || from >= to ? null : ([from, to] as const);
  if (filter.value.between?.join("-") !== between?.join("-")) setFilter({ between });
}

/** Bean, call and leaf, which may be another service's. */
function showCall(use: Use, link: Link, lost: string[]): void {
  const { place, detail } = use(panelsSlice);
  const { bean, beans, callId, leafId, whole } = use(selectionSlice);
  const item = (name: string | null, items: readonly { readonly id: number }[] = [], what: string): number | null => {
    const found = items.find(({ id }) => String(id) === name);
    if (name !== null && !found) lost.push(`The run has no ${what} ${name}.`);
    return found?.id ?? null;
  };
  const isKnown = link.bean !== null && beans.value.has(link.bean);
  if (link.bean !== null && !isKnown) {
    lost.push(`There is no bean ${link.bean}.`);
    if (detail.value === "node" && link.tab !== "node") detail.value = usualTab(place.value, null);
  }
  bean.value = isKnown ? link.bean : null;
  callId.value = item(link.call, whole.value?.calls, "call");
  leafId.value = item(link.leaf, whole.value?.leaves, "operation");
}

/** Whether the selected run's parts in other services are known, or known to be unavailable. */
function isWhole(use: Use): boolean {
  const { services } = use(applicationSlice);
  const run = use(selectionSlice).trace.value;
  return !run || runsBehind(run, services.value).every((one) => services.value.has(behindKey(one)));
}

/** Acts once the selected run is whole, unless another run is selected first. The returned function ends that. */
function whenWhole(use: Use, act: () => void): () => void {
  const { trace } = use(selectionSlice);
  const run = trace.peek();
  let isOver = false;
  const stop = effect(() => {
    if (isOver || (trace.value === run && !isWhole(use))) return;
    isOver = true;
    // After this effect, so that its changes are seen while `act` runs.
    if (trace.value === run) queueMicrotask(act);
  });
  return () => {
    isOver = true;
    stop();
  };
}

/** Synchronises location and selection until the returned function is called; before the first load it writes nothing. */
export function followLocation(use: Use): () => void {
  const { loaded } = use(applicationSlice);
  const { exchangeId, trace } = use(selectionSlice);
  const { link, openLink, isOpening } = use(linkSlice);
  /** The request of this page that the present entry already shows. */
  let written: string | null = null;
  const onHash = (): void => {
    if (location.hash !== link.value) void openLink(location.hash);
  };
  const stopWriting = link.subscribe((hash) => {
    if (!loaded.value || hash === location.hash) return;
    const before = parseLink(location.hash);
    // The run of a request takes the entry that began when it was sent.
    const id = exchangeId.value;
    const isArrival = id !== null && id === written && before.trace === null && trace.value?.correlationId === id;
    const isNew = !isOpening() && !isArrival && isStep(before, parseLink(hash));
    written = id;
    history[isNew ? "pushState" : "replaceState"](null, "", hash ? hash : location.pathname + location.search);
  });
  addEventListener("hashchange", onHash);
  return () => {
    removeEventListener("hashchange", onHash);
    stopWriting();
  };
}
