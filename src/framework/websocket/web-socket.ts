/**
 * webSocket: the handler of a WebSocket route.
 *
 *   app.ws(path, webSocket({ … })) ──▶ handshake ──▶ origin ──▶ 101 ──▶ Connection: open, message …, close
 *                                         └─ 400, 426    └─ 403
 *
 * Routing and middleware have run before, and their rejections are ordinary responses.
 *
 * Spec: spec/websocket.md
 */
import type { Context } from "../http/context.ts";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { isThenable } from "../internal/thenable.ts";
import { Connection } from "./connection.ts";
import { checkedHandshake, foreignPage, isAllowed } from "./handshake.ts";
import { Handover } from "./handover.ts";
import { settingsOf, type WebSocketOptions } from "./options.ts";

/**
 * A handler for `app.ws`.
 *
 * @example
 * ```ts
 * app.ws("/chat/{room}", webSocket({
 *   open: (socket, ctx) => void socket.send(`welcome to ${ctx.pathParam("room")}`),
 *   message: (socket, message) => void socket.send(message),
 * }));
 * ```
 * @throws TypeError on an unknown option or a value that is not allowed.
 */
export function webSocket<Ctx extends Context<never> = Context>(
  options: WebSocketOptions<Ctx>,
): (ctx: Ctx) => void | Promise<void> {
  const settings = settingsOf(options);
  const handover = new Handover(settings);
  const take = (ctx: Ctx, protocol: string | undefined): void => {
    ctx.upgrade((upgraded: UpgradedConnection) => {
      const peer = handover.open(upgraded, protocol);
      if (peer === undefined) return upgraded.over(0, true);
      new Connection(peer, { ctx, handlers: options, settings, upgraded }).begin();
    });
  };
  return function acceptWebSocket(ctx) {
    const protocol = checkedHandshake(ctx, settings.protocols);
    const decide = (verdict: unknown): void => {
      if (verdict !== true) throw foreignPage(); // Also for a function of the app, whose "false" does not count as true.
      take(ctx, protocol);
    };
    const allowed = isAllowed(ctx, settings.allowOrigins);
    return isThenable(allowed) ? Promise.resolve(allowed).then(decide) : decide(allowed);
  };
}
