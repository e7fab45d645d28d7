/**
 * The WebSocket console: one connection a route, and the log of its messages in both directions.
 *
 *   draft ──▶ connect ──▶ new WebSocket ──▶ messages, sent and received ──▶ log ──▶ closed with a code and a reason
 *
 * A browser sets no headers of a handshake, except for the subprotocols, and does not say why a handshake failed. Its run does.
 */

import { batch, computed, signal } from "@preact/signals";
import { clock, messageOf, routeKey, size } from "../../run/format.ts";
import type { RouteInfo, Trace } from "../../run/shapes.ts";
import { applicationSlice } from "../store/application.ts";
import { isRunOf } from "../store/entries.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { headerIn, hexDump } from "./body.ts";
import { draftUrl } from "./draft.ts";
import type { Draft } from "./draft-text.ts";
import { NO_ITEMS, withItems, type ItemLog } from "./item-log.ts";

/** A connection of this page, also after its end. */
export interface SocketLog extends ItemLog {
  readonly state: "connecting" | "open" | "closed";
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Whether it was ever open. */
  readonly wasOpen: boolean;
  /** Absent until it is closed. */
  readonly end?: { readonly code: number; readonly reason: string } | undefined;
}

const NEW_LOG: SocketLog = { ...NO_ITEMS, state: "connecting", startedAt: 0, wasOpen: false, end: undefined };

/** The header of the draft with the subprotocols. */
export const PROTOCOLS = "sec-websocket-protocol";

/** Whether a run shows that its route is one of `app.ws`. */
const isOfSocket = ({ kind, status, response: { headers } }: Trace): boolean =>
  kind === "websocket" || status === 101 || (status === 426 && headers["upgrade"]?.[0] === "websocket");

/** The connections, and the actions of the console. */
export function socketSlice(use: Use) {
  const { traces } = use(applicationSlice);
  const { route } = use(selectionSlice);
  const logs = signal<ReadonlyMap<string, SocketLog>>(new Map());
  const sockets = new Map<string, WebSocket>();
  const put = (key: string, change: Partial<SocketLog>): void => {
    logs.value = new Map(logs.value).set(key, { ...(logs.value.get(key) ?? NEW_LOG), ...change });
  };
  const add = (key: string, name: "sent" | "received", text: string): void =>
    put(key, withItems(logs.value.get(key) ?? NO_ITEMS, [{ name, text, time: clock(Date.now()) }]));
  const log = computed(() => route.value && (logs.value.get(routeKey(route.value)) ?? null));
  const own = (): WebSocket | undefined => (route.value ? sockets.get(routeKey(route.value)) : undefined);
  return {
    /** The log of the selected route. */
    log,
    /** Whether the selected route is one of a WebSocket, by its registration or else by a run of it. */
    isSocket: computed(() => {
      const of = route.value;
      if (!of || of.upgrades || log.value) return of !== null;
      return traces.value.some((trace) => isRunOf(trace, of) && isOfSocket(trace));
    }),
    /** The run of the handshake, which is there after the end of the connection. */
    run: computed(() => {
      const [of, since] = [route.value, log.value?.startedAt ?? Infinity];
      const isOwn = (trace: Trace): boolean => !trace.kind && trace.startedAt >= since;
      return of ? (traces.value.findLast((trace) => isOwn(trace) && isRunOf(trace, of)) ?? null) : null;
    }),
    connect: createConnect(use, sockets, put, add),
    say: (text: string): void => {
      const [of, socket] = [route.value, own()];
      if (!of || !socket) return;
      socket.send(text);
      add(routeKey(of), "sent", text);
    },
    close: (): void => own()?.close(1000),
  };
}

/** Opens a WebSocket and shows it, unless the route has one that is not closed yet. */
function createConnect(
  use: Use,
  sockets: Map<string, WebSocket>,
  put: (key: string, change: Partial<SocketLog>) => void,
  add: (key: string, name: "received", text: string) => void,
) {
  const { mount } = use(applicationSlice);
  const { traceId, exchangeId, step } = use(selectionSlice);
  const { detail } = use(panelsSlice);
  return (to: RouteInfo, draft: Draft): void => {
    const key = routeKey(to);
    if (sockets.has(key)) return;
    batch(() => {
      traceId.value = exchangeId.value = step.value = null;
      detail.value = "response";
      put(key, { ...NEW_LOG, startedAt: Date.now() });
    });
    const url = location.origin.replace(/^http/, "ws") + mount.value + draftUrl(to, draft);
    try {
      const socket = new WebSocket(url, headerIn(draft.headers, PROTOCOLS)?.match(/[^\s,]+/g) ?? []);
      sockets.set(key, socket);
      socket.binaryType = "arraybuffer";
      socket.addEventListener("open", () => put(key, { state: "open", wasOpen: true }));
      socket.addEventListener("message", ({ data }) => add(key, "received", textOf(data)));
      socket.addEventListener("close", ({ code, reason }) => {
        sockets.delete(key);
        put(key, { state: "closed", end: { code, reason } });
      });
    } catch (error) {
      put(key, { state: "closed", end: { code: 0, reason: messageOf(error) } });
    }
  };
}

function textOf(data: unknown): string {
  if (!(data instanceof ArrayBuffer)) return String(data);
  const bytes = new Uint8Array(data);
  return `${size(bytes.length)} of bytes\n${hexDump(bytes)}`;
}

/** The end of a connection as a sentence. */
export function endText({ end, wasOpen }: SocketLog): string {
  const { code = 0, reason = "" } = end ?? {};
  if (!wasOpen) return `The handshake failed. ${reason || "A browser does not say why: its run in History does."}`;
  const meaning = MEANINGS.get(code);
  return `Closed with ${code}${meaning ? `, ${meaning}` : ""}${reason ? `: ${reason}` : "."}`;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [1000, "as it should"],
  [1001, "the application stops"],
  [1005, "without a code"],
  [1006, "the connection broke"],
  [1007, "the message was not what the contract needs"],
  [1008, "a rule was broken"],
  [1009, "the message was too long"],
  [1011, "a handler failed"],
  [4400, "the schema of incoming messages rejected the message"],
]);
