/**
 * Send: sends, shows the response as it arrives, then waits for the trace with our correlation id.
 *
 *   draft ──▶ Sender ──▶ response (shown at once) ──▶ trace in the stream, else in the list ──▶ selected
 */

import { batch, computed, signal, type Signal } from "@preact/signals";
import type { Trace } from "../../run/shapes.ts";
import { messageOf, routeKey } from "../../run/format.ts";
import { historySlice } from "../runs/history.ts";
import { liveSlice } from "../runs/live.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { draftProblems, exampleDraft, hasBody, isSameRequest, toRequest } from "./draft.ts";
import { draftsSlice } from "./drafts.ts";
import { exchangesSlice, type Exchange } from "./exchanges.ts";
import { formFilesSlice } from "./form-files.ts";
import { matchRoute } from "./match-route.ts";
import { senderSlice, type ReceivedResponse } from "./receive.ts";
import { sharedHeadersSlice } from "./shared-headers.ts";
import { socketSlice } from "./socket.ts";

/** The failure of a request that the user stopped. */
export const STOPPED = "You stopped it before the application responded";
const NO_TRACE = "No trace of this request arrived, so there is no path. Is the recorder installed in this process?";
const TRACE_WAIT_MS = 1_000;

/** Sends the draft; keeps the outcome. */
export function sendSlice(use: Use) {
  const sending = signal(false);
  const incomplete = signal<{ readonly route: string } | null>(null);
  const { route, trace } = use(selectionSlice);
  const { draft } = use(draftsSlice);
  const { exchange } = use(exchangesSlice);
  const { send, stop } = createSend(use, sending, incomplete);
  return {
    sending,
    /** The route with an incomplete draft that could not be sent; a new object with each attempt. */
    incomplete,
    /** The exchange of the selected run, or else the last one, or null when another client sent it. */
    exchange,
    /** Whether the user typed another request than the selected run's. */
    differs: computed(() => {
      if (!route.value || !trace.value || trace.value.kind || !draft.value?.isTyped) return false;
      const ran = exchange.value?.sent ?? exampleDraft(route.value, trace.value);
      return !isSameRequest(route.value, draft.value, ran);
    }),
    send,
    stop,
    follow: createFollow(use, send),
  };
}

function createSend(use: Use, sending: Signal<boolean>, incomplete: Signal<{ readonly route: string } | null>) {
  const { newId } = use(browserSlice);
  const { mount } = use(applicationSlice);
  const { detail } = use(panelsSlice);
  const { route, traceId, exchangeId, step, selectTrace } = use(selectionSlice);
  const { draft, markSent } = use(draftsSlice);
  const { put } = use(exchangesSlice);
  const { mine } = use(historySlice);
  const transmit = use(senderSlice);
  const socket = use(socketSlice);
  let running: AbortController | undefined;
  /** Whether the user still looks at this exchange. A response may take long, and they may have moved on. */
  const isWatched = (exchange: Exchange): boolean =>
    exchangeId.value === exchange.correlationId && traceId.value === null;
  const finish = async (exchange: Exchange, response: ReceivedResponse): Promise<void> => {
    put({ ...exchange, response });
    const trace = await awaitTrace(use, exchange.correlationId);
    if (!trace) put({ ...exchange, response, notice: NO_TRACE });
    else if (isWatched(exchange)) selectTrace(trace);
  };
  const send = async (): Promise<void> => {
    const [to, wanted] = [route.value, draft.value];
    if (!to || !wanted || sending.value) return;
    if (socket.log.value?.state === "open") return socket.say(wanted.body);
    incomplete.value = draftProblems(to, wanted).length > 0 ? { route: routeKey(to) } : null;
    if (incomplete.value) return;
    // The sent draft stays in the editor, also if it was an example until now.
    const correlationId = newId();
    markSent(correlationId);
    if (socket.isSocket.value) return socket.connect(to, wanted);
    const exchange: Exchange = { correlationId, sent: wanted };
    const controller = new AbortController();
    running = controller;
    batch(() => {
      sending.value = true;
      traceId.value = null;
      step.value = null;
      exchangeId.value = exchange.correlationId;
      detail.value = "response";
      mine.value = new Set([...mine.value, exchange.correlationId]);
      put(exchange);
    });
    try {
      const progress = (response: ReceivedResponse): void => put({ ...exchange, response });
      const options = { signal: controller.signal, progress };
      const request = use(sharedHeadersSlice).with(toRequest(to, wanted, use(formFilesSlice).of(to)));
      const mounted = { ...request, url: mount.value + request.url };
      await finish(exchange, await transmit(mounted, exchange.correlationId, options));
    } catch (error) {
      put({ ...exchange, failure: controller.signal.aborted ? STOPPED : messageOf(error) });
    } finally {
      sending.value = false;
    }
  };
  return { send, stop: (): void => running?.abort() };
}

/** The trace of a request that this page has sent, or undefined if none arrives. */
export async function awaitTrace(use: Use, id: string): Promise<Trace | undefined> {
  const { traces } = use(applicationSlice);
  const { wait } = use(browserSlice);
  const find = (): Trace | undefined => traces.value.find((t) => t.correlationId === id);
  for (let waited = 0; waited < TRACE_WAIT_MS && !find(); waited += 25) await wait(25);
  if (!find()) {
    await use(liveSlice).catchUp();
    await wait(50);
  }
  return find();
}

/** The target of a redirect, if it is a route of this application: selected, filled in and sent. */
function createFollow(use: Use, send: () => Promise<void>) {
  const { routes, mount } = use(applicationSlice);
  const { notice } = use(panelsSlice);
  return async (trace: Trace, location: string): Promise<void> => {
    const method = methodAfter(trace);
    const here = "http://here";
    const target = resolve(location, here + mount.value + trace.path);
    const isInside = target?.origin === here && target.pathname.startsWith(`${mount.value}/`);
    const path = target?.pathname.slice(mount.value.length) ?? "";
    const match = isInside ? matchRoute(routes.value, method, path) : undefined;
    if (!target || !match) {
      notice.value = `This application has no route for ${method} ${location}.`;
      return;
    }
    use(selectionSlice).selectRoute(routeKey(match.route));
    const { body, leftOut } = exampleDraft(match.route, trace);
    const kept = hasBody(method) && body ? { body, leftOut } : {};
    use(draftsSlice).setDraft({ params: match.params, query: target.search.slice(1), ...kept });
    await send();
  };
}

/** As in browsers: 307 and 308 repeat the method, every other redirect of anything but HEAD becomes a GET. */
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
