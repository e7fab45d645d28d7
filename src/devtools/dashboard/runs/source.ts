/**
 * The application from the page's view: the endpoints of its devtools.
 *
 *   live.ts ──▶ Source { load, read, ask, listen } ──▶ fetch, EventSource
 *
 * The stream is closed while the tab is hidden, since a browser allows six connections a host. When it is reopened, missed
 * runs are replayed.
 */

import type { Answers, Questions } from "../../run/analyses.ts";
import type { BeanGraph, PanelInfo, RouteInfo, ServiceRun } from "../../run/shapes.ts";
import { CONTEXT_PATH_HEADER, GAP_EVENT, GRAPH_EVENT, PAGE_PATH, STARTED_EVENT, TRACE_EVENT } from "../../run/wire.ts";
import type { Endpoints } from "../../run/wire.ts";
import type { RunBehind } from "../store/across-services.ts";

/** The events of the stream. */
export interface Listener {
  /** One trace, still as JSON, so that dropping it unread saves the parsing. */
  readonly trace: (json: string) => void;
  /** A run in progress, as JSON. */
  readonly started: (json: string) => void;
  /** The list has runs that the stream lacked, so request it. */
  readonly gap: () => void;
  /** Graph or routes have changed. */
  readonly changed: () => void;
  readonly online: (online: boolean) => void;
}

/** The application's facts, without its runs. */
export interface LoadedApplication {
  readonly graph: BeanGraph;
  readonly routes: RouteInfo[];
  readonly panels: readonly PanelInfo[];
  /** The path at which a host has mounted the application, such as `/api`, empty without one. */
  readonly mount: string;
}

/** Where data comes from. */
export interface Source {
  readonly load: () => Promise<LoadedApplication>;
  /** An endpoint as JSON; rejects with the application's error. */
  readonly read: <K extends keyof Endpoints>(
    name: K,
    query?: Readonly<Record<string, string>>,
  ) => Promise<Endpoints[K]>;
  /** Sends to an endpoint, with an empty object; rejects with the application's error. */
  readonly post: (name: string, headers?: Readonly<Record<string, string>>) => Promise<void>;
  /** The run of another service; rejects with NotHeld if it is not, or no longer, held. */
  readonly remote: (run: RunBehind) => Promise<ServiceRun>;
  /** An analysis; rejects with NotHeld if a run that is named by its key is not held. */
  readonly ask: <K extends keyof Answers>(name: K, question: Questions[K]) => Promise<Answers[K]>;
  /** Listens until the returned function is called. */
  readonly listen: (listener: Listener) => () => void;
}

/** The requested run is not held. */
export class NotHeld extends Error {
  /** The keys of the runs, if several were named. */
  readonly missing: readonly string[];

  constructor(message: string, missing: readonly string[] = []) {
    super(message);
    this.missing = missing;
  }
}

const isJson = { "Content-Type": "application/json" };
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 15_000;

/** The path of this page. */
export const basePath = (): string => location.pathname.replace(/(?<!\/)\/+$/, "");

/** The application that served this page. */
export function sourceSlice(): Source {
  return liveSource(basePath());
}

/** An application; `base` is the path of its page. */
export function liveSource(base: string): Source {
  /** An error is reported in the application's words, if it has some. */
  const request = async (
    name: string,
    query: URLSearchParams | string = "",
    more: RequestInit = {},
  ): Promise<Response> => {
    const url = `${base}/api/${name}`;
    const response = await fetch(`${query}` === "" ? url : `${url}?${query}`, { cache: "no-store", ...more });
    if (response.ok) return response;
    const { detail = `${url} responded with ${response.status}`, missing } = (await response
      .json()
      .catch(() => ({}))) as { readonly detail?: string; readonly missing?: readonly string[] };
    throw response.status === 404 ? new NotHeld(detail, missing) : new Error(detail);
  };
  const read: Source["read"] = async <K extends keyof Endpoints>(
    name: K,
    query: Readonly<Record<string, string>> = {},
  ) => (await (await request(name, new URLSearchParams(query))).json()) as Endpoints[K];
  return {
    load: async () => {
      const [graph, response, panels] = await Promise.all([read("graph"), request("routes"), read("panels")]);
      const mount = mountOf(base, response.headers.get(CONTEXT_PATH_HEADER) ?? "");
      return { graph, routes: (await response.json()) as RouteInfo[], panels, mount };
    },
    read,
    post: async (name, headers = {}) => {
      await request(name, "", { method: "POST", headers: { ...isJson, ...headers }, body: "{}" });
    },
    remote: async ({ origins, id }) => {
      const query = new URLSearchParams([...origins.map((origin) => ["origin", origin]), ["id", id]]);
      return (await (await request("remote", query)).json()) as ServiceRun;
    },
    ask: async <K extends keyof Answers>(name: K, question: Questions[K]) => {
      const body = JSON.stringify(question);
      const response = await request(`analyses/${name}`, "", { method: "POST", body, headers: isJson });
      return (await response.json()) as Answers[K];
    },
    listen: (listener) => listen(`${base}/api/stream`, listener),
  };
}

/** The part before the context path in the address of the page. */
function mountOf(base: string, contextPath: string): string {
  const inside = contextPath + PAGE_PATH;
  return base.endsWith(inside) ? base.slice(0, -inside.length) : "";
}

/** An EventSource that is closed while the tab is hidden and backs off while the application is down. */
function listen(url: string, listener: Listener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = FIRST_RETRY_MS;
  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = (): void => {
    close();
    source = new EventSource(url);
    source.addEventListener("open", () => {
      retryMs = FIRST_RETRY_MS;
      listener.online(true);
    });
    source.addEventListener("error", () => {
      listener.online(false);
      close();
      timer = setTimeout(open, retryMs);
      retryMs = Math.min(LAST_RETRY_MS, retryMs * 2);
    });
    source.addEventListener(TRACE_EVENT, (event: MessageEvent<string>) => listener.trace(event.data));
    source.addEventListener(STARTED_EVENT, (event: MessageEvent<string>) => listener.started(event.data));
    source.addEventListener(GAP_EVENT, listener.gap);
    source.addEventListener(GRAPH_EVENT, listener.changed);
  };
  const turn = (): void => (document.visibilityState === "hidden" ? close() : open());
  document.addEventListener("visibilitychange", turn);
  turn();
  return () => {
    document.removeEventListener("visibilitychange", turn);
    close();
  };
}
