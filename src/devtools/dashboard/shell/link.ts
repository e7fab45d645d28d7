/**
 * Deep links: `#route=…&trace=<instance>.<sequence>&bean=…`. Never a header or body value.
 *
 *   selection ──▶ formatLink ──▶ location.hash ──▶ parseLink ──▶ selection
 */

import { batch, computed } from "@preact/signals";
import { applicationSlice } from "../store/application.ts";
import { routeKey } from "../../run/format.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";

/** The target of a link. */
export interface Link {
  readonly route: string | null;
  readonly trace: string | null;
  readonly bean: string | null;
}

/** Reads a location hash; missing or empty parts are null. */
export function parseLink(hash: string): Link {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const read = (name: string): string | null => params.get(name) || null;
  return { route: read("route"), trace: read("trace"), bean: read("bean") };
}

/** The hash of a link, `""` without a target. */
export function formatLink(link: Link): string {
  const params = new URLSearchParams();
  for (const name of ["route", "trace", "bean"] as const) {
    const value = link[name];
    if (value !== null) params.set(name, value);
  }
  const text = params.toString();
  return text ? `#${text}` : "";
}

/** The link to the selection, and the way back from a link. */
export function linkSlice(use: Use) {
  const { routes } = use(applicationSlice);
  const { notice } = use(panelsSlice);
  const { routeId, traceId, bean, beans, runOf, selectRoute, selectTrace, selectBean } = use(selectionSlice);
  return {
    link: computed(() => formatLink({ route: routeId.value, trace: traceId.value, bean: bean.value })),
    /** Follows a link; says so when its target is gone. */
    openLink: (hash: string): void => {
      const link = parseLink(hash);
      batch(() => {
        const known = routes.value.some((r) => routeKey(r) === link.route);
        if (link.route !== null && known) selectRoute(link.route);
        const trace = runOf(link.trace);
        if (trace) selectTrace(trace);
        else if (link.trace !== null) notice.value = `Run ${link.trace} is no longer kept: only the last 100 are.`;
        else if (link.route !== null && !known)
          notice.value = `The link points at ${link.route}, which this application does not have.`;
        if (link.bean !== null && beans.value.has(link.bean)) selectBean(link.bean);
      });
    },
  };
}

/** Synchronises location and selection until the returned function is called; before the first load it writes nothing. */
export function followLocation(use: Use): () => void {
  const { loaded } = use(applicationSlice);
  const { link, openLink } = use(linkSlice);
  const onHash = (): void => {
    if (location.hash !== link.value) openLink(location.hash);
  };
  const stopWriting = link.subscribe((hash) => {
    if (loaded.value && hash !== location.hash) history.replaceState(null, "", hash ? hash : location.pathname);
  });
  addEventListener("hashchange", onHash);
  return () => {
    removeEventListener("hashchange", onHash);
    stopWriting();
  };
}
