/**
 * The page's knowledge of the application: its graph, its routes, its runs, and whether it responds.
 */

import { signal } from "@preact/signals";
import type { SavedRun } from "../../run/run-file.ts";
import type { BeanGraph, PanelInfo, RouteInfo, Trace } from "../../run/shapes.ts";
import type { KnownRuns } from "./across-services.ts";

/** The facts that every room reads; runs/live.ts writes them. */
export function applicationSlice() {
  return {
    loaded: signal(false),
    /** Why it does not respond. */
    failure: signal<string | null>(null),
    /** Whether the stream of runs is open, or null before the first attempt. */
    online: signal<boolean | null>(null),
    /** The path at which a host has mounted the application, such as `/api`, empty without one. */
    mount: signal(""),
    live: signal<BeanGraph>({ nodes: [], edges: [], unspied: [] }),
    routes: signal<readonly RouteInfo[]>([]),
    /** Of its plugins. */
    panels: signal<readonly PanelInfo[]>([]),
    /** The kept runs, newest first. */
    traces: signal<readonly Trace[]>([]),
    /** Runs from files, by key. */
    opened: signal<ReadonlyMap<string, SavedRun>>(new Map()),
    /** Runs of other services that kept runs led to; runs/other-services.ts writes them. */
    services: signal<KnownRuns>(new Map()),
    /** How often the server has said that its graph, its routes or the spans of other services have changed. */
    changes: signal(0),
  };
}
