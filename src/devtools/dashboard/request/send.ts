/**
 * Send: fire, show the response as it arrives, then wait for the trace that carries our correlation id.
 *
 *   draft ──▶ Source.send ──▶ response (shown at once) ──▶ trace in the stream, else in the list ──▶ selected
 */

import { batch } from "@preact/signals";
import type { Trace } from "../../wire.ts";
import { draftProblems, hasBody, toRequest } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { matchRoute } from "./match-route.ts";
import type { ReceivedResponse } from "./receive.ts";
import type { Exchange, State, Surroundings, View } from "../store/state.ts";
import { routeKey } from "../store/keys.ts";

const MAX_EXCHANGES = 100;
const TRACE_WAIT_MS = 1_000;

/** What sending needs of the rest of the store. */
export interface SendTools {
  readonly catchUp: () => Promise<void>;
  readonly setDraft: (change: Partial<Draft>) => void;
  readonly selectRoute: (key: string) => void;
  readonly selectTrace: (trace: Trace) => void;
}

/** Makes `send`, `stop` and `follow`. */
export function createSend(state: State, view: View, around: Surroundings, tools: SendTools) {
  let running: AbortController | undefined;
  const put = (exchange: Exchange): void => {
    const others = state.exchanges.value.filter((e) => e.correlationId !== exchange.correlationId);
    state.exchanges.value = [exchange, ...others].slice(0, MAX_EXCHANGES);
  };
  /** Is this exchange still what the user looks at? A response may take long, and they may have moved on. */
  const isWatched = (exchange: Exchange): boolean =>
    state.exchangeId.value === exchange.correlationId && state.traceId.value === null;
  const finish = async (exchange: Exchange, response: ReceivedResponse): Promise<void> => {
    put({ ...exchange, response });
    const trace = await awaitTrace(state, around, tools, exchange.correlationId);
    if (trace === undefined) put({ ...exchange, response, notice: NO_TRACE });
    else if (isWatched(exchange)) tools.selectTrace(trace);
  };
  const send = async (): Promise<void> => {
    const [route, draft] = [state.route.value, view.draft.value];
    if (route === null || draft === null || state.sending.value || draftProblems(route, draft).length > 0) return;
    const exchange: Exchange = { correlationId: around.newId(), route: routeKey(route) };
    tools.setDraft({});
    running = new AbortController();
    batch(() => {
      state.sending.value = true;
      state.traceId.value = null;
      state.step.value = null;
      state.exchangeId.value = exchange.correlationId;
      state.detail.value = "response";
      put(exchange);
    });
    try {
      const options = {
        signal: running.signal,
        progress: (response: ReceivedResponse) => put({ ...exchange, response }),
      };
      await finish(exchange, await around.source.send(toRequest(route, draft), exchange.correlationId, options));
    } catch (error) {
      put({ ...exchange, failure: failureOf(error, running?.signal.aborted === true) });
    } finally {
      state.sending.value = false;
    }
  };
  return { send, stop: (): void => running?.abort(), follow: createFollow(state, { ...tools, send }) };
}

/** The failure of a request that the user gave up. */
export const STOPPED = "You stopped it before the application answered";
const NO_TRACE =
  "No trace of this request arrived, so there is no path to draw. Is the recorder installed in this process?";

function failureOf(error: unknown, stopped: boolean): string {
  if (stopped) return STOPPED;
  return error instanceof Error ? error.message : String(error);
}

async function awaitTrace(
  state: State,
  around: Surroundings,
  tools: SendTools,
  id: string,
): Promise<Trace | undefined> {
  const find = (): Trace | undefined => state.traces.value.find((t) => t.correlationId === id);
  for (let waited = 0; waited < TRACE_WAIT_MS && find() === undefined; waited += 25) await around.wait(25);
  if (find() === undefined) {
    await tools.catchUp();
    await around.wait(50);
  }
  return find();
}

/** Where a redirect leads, if it is a route of this application: selected, filled in and sent. */
function createFollow(state: State, tools: SendTools & { readonly send: () => Promise<void> }) {
  return async (trace: Trace, location: string): Promise<void> => {
    const method = methodAfter(trace);
    const here = "http://here";
    const target = resolve(location, here + trace.path);
    const match = target?.origin === here ? matchRoute(state.routes.value, method, target.pathname) : undefined;
    if (target === undefined || match === undefined) {
      state.notice.value = `No route of this application answers ${method} ${location}.`;
      return;
    }
    tools.selectRoute(routeKey(match.route));
    const kept = hasBody(method) && typeof trace.request.body === "object" && trace.request.body !== null;
    tools.setDraft({
      params: match.params,
      query: target.search.slice(1),
      ...(kept ? { body: JSON.stringify(trace.request.body, null, 2) } : {}),
    });
    await tools.send();
  };
}

/** As browsers do: 307 and 308 repeat the method, every other redirect of anything but HEAD becomes a GET. */
function methodAfter(trace: Trace): string {
  return [307, 308].includes(trace.status) || trace.method === "HEAD" ? trace.method : "GET";
}

function resolve(location: string, base: string): URL | undefined {
  try {
    const own = globalThis.location?.origin;
    const target = new URL(location, base);
    return own !== undefined && target.origin === own ? new URL(target.pathname + target.search, base) : target;
  } catch {
    return undefined;
  }
}
