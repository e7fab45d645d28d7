/**
 * A page without a page: the store with an application, a network and a clock that the test drives by hand.
 */

import type { BeanGraph, Panel, RouteInfo, ServiceRun, Trace } from "../../run/shapes.ts";
import { senderSlice } from "../request/receive.ts";
import type { OutgoingRequest, ReceivedResponse, SendOptions } from "../request/receive.ts";
import { liveSlice } from "../runs/live.ts";
import { NotHeld, sourceSlice } from "../runs/source.ts";
import type { Listener, Readable, Source } from "../runs/source.ts";
import type { RunBehind } from "../store/across-services.ts";
import { browserSlice } from "../store/browser.ts";
import type { Browser } from "../store/browser.ts";
import { createUse } from "../store/slice.ts";
import type { Slice, Use } from "../store/slice.ts";
import { memoryStorage } from "./fake-page.ts";
import { callOf, graphOf, traceOf } from "../../run/traces.testkit.ts";

/** The routes of a stage. */
export const stageRoutes: readonly RouteInfo[] = [
  { method: "GET", path: "/x/{id}", pathParams: ["id"], beans: ["Web"] },
  { method: "POST", path: "/x", pathParams: [], beans: [] },
];
/** The response to every request, unless the test says otherwise. */
export const okResponse: ReceivedResponse = {
  status: 200,
  statusText: "OK",
  headers: [],
  bytes: new Uint8Array(),
  durationUs: 9,
};

/** A run of `GET /x/{id}` through Web and Service. */
export function runOf(sequence: number, more: Partial<Trace> = {}): Trace {
  return traceOf([callOf(0, null, "Web"), callOf(1, 0, "Service")], { sequence, startedAt: sequence, ...more });
}

/** A store, loaded and listening, and the controls of what surrounds it. */
export interface Stage {
  readonly use: Use;
  /** What was sent, and under which correlation id. */
  readonly sent: { readonly request: OutgoingRequest; readonly id: string }[];
  /** What the application keeps; a test may change it. */
  readonly kept: Trace[];
  /** How often the list of runs alone was requested. */
  readonly listed: () => number;
  /** The stream as the application speaks into it. */
  readonly stream: Listener;
  /** A run in the stream; shown with the next frame. */
  readonly arrive: (trace: Trace) => void;
  readonly frame: () => void;
  /** Lets time go by. */
  readonly pass: (ms: number) => void;
}

/** What a test sets up. */
export interface StageProps {
  /** Read each time it is asked for, as the routes are: a test may change it. */
  readonly graph?: BeanGraph;
  readonly routes?: readonly RouteInfo[];
  readonly traces?: readonly Trace[];
  readonly onSend?: (stage: Stage, id: string, options: SendOptions) => ReceivedResponse;
  /** The run of another service. */
  readonly onRemote?: (run: RunBehind) => ServiceRun;
  /** What the endpoints across time respond with. */
  readonly onRead?: (name: string, query: Readonly<Record<string, string>>) => unknown;
  readonly session?: Storage;
  /** Where a host has mounted the application. */
  readonly mount?: string;
  /** Panels of plugins, by what reads them. */
  readonly panels?: readonly (Omit<Panel, "data" | "error"> & { readonly read: () => Promise<Panel> })[];
  /** Does the application fail to respond, and after what? */
  readonly down?: { now: boolean; readonly after?: Promise<void> };
}

/** Makes a stage. */
export async function stage(props: StageProps = {}): Promise<Stage> {
  const sent: Stage["sent"][number][] = [];
  const kept = [...(props.traces ?? [])];
  let listed = 0;
  let listener: Listener | undefined;
  const source: Source = {
    load: async () => {
      if (props.down?.now === true) {
        await props.down.after;
        throw new Error("Failed to fetch");
      }
      const graph = props.graph ?? graphOf({ Web: ["Service"], Service: ["Repo"], Repo: [], Other: [] });
      return {
        graph,
        routes: [...(props.routes ?? stageRoutes)],
        panels: props.panels ?? [],
        mount: props.mount ?? "",
      };
    },
    remote: async (run) => {
      if (props.onRemote === undefined) throw new NotHeld("no such run");
      return JSON.stringify(props.onRemote(run));
    },
    read: async <K extends keyof Readable>(name: K, query: Readonly<Record<string, string>> = {}) => {
      const found = await props.onRead?.(name, query);
      if (found === undefined) throw new NotHeld("no such thing");
      return found as Readable[K];
    },
    requests: async () => {
      listed += 1;
      return kept;
    },
    panel: async (name) => {
      const panel = props.panels?.find((one) => one.name === name);
      if (panel === undefined) throw new Error(`panels/${name} responded with 404`);
      return panel.read();
    },
    listen: (given) => {
      listener = given;
      return () => undefined;
    },
  };
  const { browser, frame, pass } = handDriven(props.session, () => `dev-${sent.length + 1}`);
  const send = async (request: OutgoingRequest, id: string, options: SendOptions): Promise<ReceivedResponse> => {
    sent.push({ request, id });
    return props.onSend?.(result, id, options) ?? okResponse;
  };
  const use = createUse(
    new Map<Slice<unknown>, unknown>([
      [sourceSlice, source],
      [senderSlice, send],
      [browserSlice, browser],
    ]),
  );
  const { load, listen } = use(liveSlice);
  listen();
  await load();
  if (listener === undefined) throw new Error("the page does not listen");
  const stream = listener;
  const arrive = (trace: Trace): void => stream.trace(JSON.stringify(trace));
  const result: Stage = { use, sent, kept, listed: () => listed, stream, arrive, frame, pass };
  return result;
}

/** A browser whose frames come when the test wants them. */
function handDriven(
  session = memoryStorage(),
  newId: () => string,
): { browser: Browser; frame: () => void; pass: Stage["pass"] } {
  let pending: (() => void)[] = [];
  let time = 0;
  const timers = new Set<{ readonly ms: number; readonly run: () => void; due: number }>();
  const frame = (): void => {
    const due = pending;
    pending = [];
    for (const run of due) run();
  };
  const local = memoryStorage();
  const browser: Browser = {
    nextFrame: (run) => void pending.push(run),
    wait: async () => frame(),
    every: (ms, run) => {
      const timer = { ms, run, due: time + ms };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    now: () => time,
    newId,
    systemTheme: () => "dark",
    local: () => local,
    session: () => session,
  };
  const pass = (ms: number): void => {
    for (const end = time + ms; time < end;) {
      time = Math.min(end, ...[...timers].map(({ due }) => due));
      for (const timer of [...timers].filter(({ due }) => due <= time)) {
        timer.due += timer.ms;
        timer.run();
      }
    }
  };
  return { browser, frame, pass };
}

/** Lets everything that waits for a promise go on. */
export function settled(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
