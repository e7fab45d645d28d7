/**
 * The options of a WebSocket route, and their checks.
 *
 * Spec: spec/websocket.md
 */
import type { Context } from "../http/context.ts";
import { isToken } from "../internal/http-rules.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { isPageOrigin } from "../internal/page-origin.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import type { ServerWebSocket } from "./server-web-socket.ts";
import type { AllowedOrigins, Settings } from "./settings.ts";

/** The messages of a client, by the route's contract: text or bytes by default. */
export type MessageOf<Ctx> = Ctx extends { readonly "~messages"?: { readonly incoming: infer In } }
  ? unknown extends In
    ? string | Uint8Array
    : In
  : string | Uint8Array;

/** The socket of a route, which sends the messages of its contract: text or bytes by default. */
export type SocketOf<Ctx> = ServerWebSocket<
  Ctx extends { readonly "~messages"?: { readonly outgoing: infer Out } }
    ? unknown extends Out
      ? string | Uint8Array
      : Out
    : string | Uint8Array
>;

/** Options of a WebSocket route. Times in milliseconds, sizes in bytes. */
export interface WebSocketOptions<Ctx extends Context = Context> {
  /** Runs first. Messages wait until its result has settled. */
  readonly open?: ((socket: SocketOf<Ctx>, ctx: Ctx) => unknown) | undefined;
  /**
   * Runs for each message, in order, with text as a string, or with the value of the route's `incoming` schema. The next one
   * comes after its result has settled, and the client is not read until then.
   */
  readonly message?: ((socket: SocketOf<Ctx>, message: MessageOf<Ctx>, ctx: Ctx) => unknown) | undefined;
  /** Runs once, last. 1006 means that the connection broke off before a close, 1005 a close without a code. */
  readonly close?: ((socket: SocketOf<Ctx>, code: number, reason: string, ctx: Ctx) => unknown) | undefined;
  /** Gets an error of one of these. It is logged anyway, and the socket is closed with 1011. */
  readonly error?: ((socket: SocketOf<Ctx>, error: unknown, ctx: Ctx) => unknown) | undefined;
  /** The supported subprotocols. The first one that a client offers and that is listed is chosen. */
  readonly protocols?: readonly string[] | undefined;
  readonly allowOrigins?: AllowedOrigins | undefined;
  /** A longer message closes the socket with 1009. Default: 1 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** A client that leaves more than that unread is cut. Default: 4 MiB. */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * A client is closed with 1008 when its messages that wait for a busy handler have more bytes than that together, which only
   * compressed ones can. Default: 16 MiB, or `maxMessageBytes` if that is more.
   */
  readonly maxQueuedBytes?: number | undefined;
  /** The ping interval. A client is cut when it sent nothing since the last ping. Default: 30,000. 0 sends none. */
  readonly pingMs?: number | undefined;
  /** A client that sends no message for that long is closed with 1001. Default: 0, never. */
  readonly idleMs?: number | undefined;
  /** How long a client has to respond to a close before it is cut. Default: 5,000. */
  readonly closeMs?: number | undefined;
  /** Compresses messages (RFC 7692) for clients that offer it, at the cost of memory for each. Default: false. */
  readonly compression?: boolean | undefined;
}

const handlers = ["open", "message", "close", "error"] as const;
const times = ["pingMs", "idleMs", "closeMs"] as const;
const sizes = ["maxMessageBytes", "maxBufferedBytes", "maxQueuedBytes"] as const;
const names: readonly string[] = [...handlers, ...times, ...sizes, "protocols", "allowOrigins", "compression"];

/** The longest delay of a Node timer. */
const longestMs = 2_147_483_647;

/** @throws TypeError naming the option, its value and the allowed values. */
export function settingsOf(options: WebSocketOptions<never>): Settings {
  checkOptionNames("webSocket()", options, names, "WEBSOCKET_INVALID");
  for (const name of handlers)
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw invalid(name, typeof options[name], "a function is allowed");
  const { protocols = [], allowOrigins = "same-origin", compression = false } = options;
  if (typeof compression !== "boolean") throw invalid("compression", String(compression), "true and false are allowed");
  if (!Array.isArray(protocols) || !protocols.every((name) => typeof name === "string" && isToken(name)))
    throw invalid("protocols", JSON.stringify(protocols), "a list of tokens (RFC 6455 §4.1) is allowed");
  const maxMessageBytes = within("maxMessageBytes", options.maxMessageBytes ?? 1_048_576, 1, 2 ** 30);
  return {
    protocols,
    compression,
    allowOrigins: checkedOrigins(allowOrigins),
    maxMessageBytes,
    maxQueuedBytes: within(
      "maxQueuedBytes",
      options.maxQueuedBytes ?? Math.max(16_777_216, maxMessageBytes),
      1,
      2 ** 40,
    ),
    maxBufferedBytes: within("maxBufferedBytes", options.maxBufferedBytes ?? 4_194_304, 1, 2 ** 40),
    pingMs: within("pingMs", options.pingMs ?? 30_000, 0, longestMs),
    idleMs: within("idleMs", options.idleMs ?? 0, 0, longestMs),
    closeMs: within("closeMs", options.closeMs ?? 5_000, 1, longestMs),
  };
}

function within(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(name, String(value), `an integer from ${min} to ${max} is allowed`);
}

function checkedOrigins(origins: AllowedOrigins): AllowedOrigins {
  if (origins === "same-origin" || origins === "*" || typeof origins === "function") return origins;
  const wrong = Array.isArray(origins) ? origins.find((origin) => !isPageOrigin(origin)) : origins;
  if (wrong === undefined) return origins;
  const allowed = 'origins such as "https://shop.example", "same-origin", "*" and a function are allowed';
  throw invalid("allowOrigins", shown(wrong), allowed);
}

const invalid = (name: string, value: string, allowed: string): TypeError =>
  usageError("WEBSOCKET_INVALID", `webSocket() has ${name}: ${value}; ${allowed}`);
