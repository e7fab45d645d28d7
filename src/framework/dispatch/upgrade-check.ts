/**
 * The check before the handler of `app.ws`: can this request become a WebSocket?
 *
 *   no upgrade ──▶ 426 + Upgrade (RFC 9110 §15.5.22)      an engine that hands nothing over ──▶ 501
 *     └─ over HTTP/2: no extended CONNECT ──▶ 501
 *
 * Spec: spec/websocket.md
 */
import type { RequestContext } from "../http/request-context.ts";
import { HttpError } from "../internal/errors.ts";
import { asksForWebSocket } from "../internal/http-rules.ts";

/** HTTP/1.1 names the requested protocol in a field of this connection alone (RFC 9110 §7.8). */
const wanted = { Upgrade: "websocket", Connection: "Upgrade" };

/** @throws HttpError 426 or 501. */
export function checkUpgrade(ctx: RequestContext): void {
  const { exchange } = ctx;
  // HTTP/2 has no Upgrade field (RFC 9113 §8.2.2), so it cannot send a 426, which must have one.
  if (exchange.httpVersion === "2") {
    if (exchange.upgrade !== undefined) return;
    throw new HttpError(501, "a WebSocket is here: open it by an extended CONNECT (RFC 8441), or over HTTP/1.1");
  }
  if (!asksForWebSocket(exchange))
    throw new HttpError(426, "a WebSocket is here: ask for an upgrade to it", { headers: wanted });
  if (exchange.upgrade === undefined)
    throw new HttpError(
      501,
      "this connection cannot be upgraded: the server hands none over, or the request is not alone on it",
    );
}
