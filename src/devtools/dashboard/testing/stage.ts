/**
 * A page without a browser: the store with an application, a network and a clock that the test controls.
 */

import { analyses, type Answers, type Questions } from "../../run/analyses.ts";
import { traceKey } from "../../run/format.ts";
import type { BeanGraph, Panel, RouteInfo, ServiceRun, Trace } from "../../run/shapes.ts";
import { senderSlice, type OutgoingRequest, type ReceivedResponse, type SendOptions } from "../request/receive.ts";
import { liveSlice } from "../runs/live.ts";
import { NotHeld, sourceSlice, type Listener, type Source } from "../runs/source.ts";
import type { Endpoints } from "../../run/wire.ts";
import type { RunBehind } from "../store/across-services.ts";
import { browserSlice, type Browser } from "../store/browser.ts";
import { createUse, type Slice, type Use } from "../store/slice.ts";
import { memoryStorage } from "./fake-page.ts";
import { callOf, graphOf, traceOf } from "../../run/traces.testkit.ts";

/** The routes of a stage. */
export const stageRoutes: readonly RouteInfo[] = [
  { method: "GET", path: "/x/{id}", pathParams: ["id"], beans: ["Web"] },
  { method: "POST", path: "/x", pathParams: [], beans: [] },
];
/** The response to every request by default. */
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

/** A loaded and listening store, and the controls of its environment. */
export interface Stage {
  readonly use: Use;
  /** The sent requests, with their correlation ids. */
  readonly sent: { readonly request: OutgoingRequest; readonly id: string }[];
  /** The application's kept runs; a test may change them. */
  readonly kept: Trace[];
  /** How often only the list of runs was requested. */
  readonly listed: () => number;
  /** The stream from the application. */
  readonly stream: Listener;
  /** A run in the stream; shown with the next frame. */
  readonly arrive: (trace: Trace) => void;
  readonly frame: () => void;
  /** Advances the clock. */
  readonly pass: (ms: number) => void;
}

/** The options of a test. */
export interface StageProps {
  /** Read on each request, like the routes, so a test may change it. */
  readonly graph?: BeanGraph;
  readonly routes?: readonly RouteInfo[];
  readonly traces?: readonly Trace[];
  readonly onSend?: (stage: Stage, id: string, options: SendOptions) => ReceivedResponse;
  /** Receives what is sent to an endpoint; its error is the application's. */
  readonly onPost?: (stage: Stage, name: string, headers: Readonly<Record<string, string>>) => void;
  /** The run of another service. */
  readonly onRemote?: (run: RunBehind) => ServiceRun;
  /** The responses of the endpoints across time. */
  readonly onRead?: (name: string, query: Readonly<Record<string, string>>) => unknown;
  /** Runs that the application keeps and the page lacks. */
  readonly held?: readonly Trace[];
  readonly session?: Storage;
  /** Where a host has mounted the application. */
  readonly mount?: string;
  /** Panels of plugins, with the functions that read them. */
  readonly panels?: readonly (Omit<Panel, "data" | "error"> & { readonly read: () => Promise<Panel> })[];
  /** Whether the application fails to respond, and after which promise. */
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
    post: async (name, headers = {}) => props.onPost?.(result, name, headers),
    remote: async (run) => {
      if (props.onRemote === undefined) throw new NotHeld("no such run");
      return props.onRemote(run);
    },
    read: async <K extends keyof Endpoints>(name: K, query: Readonly<Record<string, string>> = {}) => {
      if (name === "requests") {
        listed += 1;
        return kept as unknown as Endpoints[K];
      }
      const panel = props.panels?.find((one) => `panels/${one.name}` === name);
      const found = panel === undefined ? await props.onRead?.(name, query) : await panel.read();
      if (found === undefined) throw new NotHeld("no such thing");
      return found as Endpoints[K];
    },
    ask: async <K extends keyof Answers>(name: K, question: Questions[K]) => {
      if (props.down?.now === true) throw new Error("Failed to fetch");
      return analyses[name](wholeRuns(question, [...kept, ...(props.held ?? [])]));
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

/** The question with whole runs in place of their keys. @throws NotHeld as the application's devtools respond */
function wholeRuns<K extends keyof Answers>(question: Questions[K], held: readonly Trace[]): Questions<Trace>[K] {
  const missing: string[] = [];
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole);
    if (typeof value !== "string" || !/^[\w-]+\.\d+$/.test(value)) return value;
    const run = held.find((one) => traceKey(one) === value);
    if (run === undefined) missing.push(value);
    return run;
  };
  const members = Object.entries(question).map(([name, value]) => [name, whole(value)]);
  if (missing.length > 0) throw new NotHeld("a run is not held", missing);
  return Object.fromEntries(members) as Questions<Trace>[K];
}

/** A browser with frames that the test triggers. */
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
    name: () => "shop",
    systemTheme: () => "dark",
    slowUs: () => 100_000,
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

/** Waits for everything that waits for a promise. */
export function settled(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
