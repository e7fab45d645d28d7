/**
 * The opening handshake: the checks that can reject it with an ordinary response (RFC 6455 §4.2).
 *
 *   version other than 13 ──▶ 426      an invalid key, invalid protocols ──▶ 400      a foreign page ──▶ 403
 *     └─ over HTTP/2 ──▶ 400             └─ over HTTP/2 there is no key (RFC 8441 §5)
 *
 * Spec: spec/websocket.md
 */
import { BadRequestError, HttpError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { isToken } from "../internal/http-rules.ts";
import { isOfHost } from "../internal/page-origin.ts";
import type { AllowedOrigins } from "./settings.ts";

/** Base64 of 16 bytes. */
const key = /^[+/0-9A-Za-z]{21}[AQgw]==$/;

/**
 * Checks the handshake. Returns the agreed subprotocol, or undefined for none.
 *
 * @throws HttpError 426 with the supported version, 400 when the fields are not a valid handshake.
 */
export function checkedHandshake(ctx: Context, protocols: readonly string[]): string | undefined {
  const isHttp2 = ctx.httpVersion === "2";
  // HTTP/2 has no Upgrade field (RFC 9113 §8.2.2), so it cannot send a 426, which must have one.
  if (ctx.header("sec-websocket-version") !== "13")
    throw new HttpError(isHttp2 ? 400 : 426, "version 13 of the WebSocket protocol is spoken here (RFC 6455)", {
      headers: { Upgrade: "websocket", Connection: "Upgrade", "Sec-WebSocket-Version": "13" },
    });
  if (!isHttp2 && !key.test(ctx.header("sec-websocket-key") ?? ""))
    throw new BadRequestError("the Sec-WebSocket-Key is missing, or not 16 bytes in base64");
  const field = ctx.header("sec-websocket-protocol");
  if (field === undefined) return undefined;
  const offered = field.split(",").map((name) => name.trim());
  if (!offered.every(isToken) || new Set(offered).size < offered.length)
    throw new BadRequestError("the Sec-WebSocket-Protocol is no list of different names");
  return offered.find((name) => protocols.includes(name));
}

/** May a page of the request's origin open a WebSocket? A promise only when the app's function returns one. */
export function isAllowed(ctx: Context, origins: AllowedOrigins): boolean | Promise<boolean> {
  const origin = ctx.header("origin");
  if (origin === undefined || origins === "*") return true;
  if (origins === "same-origin") return isOfHost(origin, ctx);
  return typeof origins === "function" ? origins(origin, ctx) : origins.includes(origin);
}

/** The error for a foreign page. */
export const foreignPage = (): HttpError =>
  new HttpError(403, "a page of this origin may not open a WebSocket here: see allowOrigins");
