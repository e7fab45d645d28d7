/**
 * The WebSocket of the subject, for engines that support it.
 *
 * Spec: spec/subject.md
 */
import { type Framework, HttpError } from "framework";
import { webSocket } from "framework/websocket";

/** Adds `/ws/{name}`. */
export function addSockets(app: Framework): void {
  app.group("/ws", (group) =>
    group
      .use((ctx, next) => {
        if (ctx.path === "/ws/nobody") throw new HttpError(401, "nobody is let in");
        return next();
      })
      .ws("/{name}", webSocket({ message: (socket, message) => void socket.send(message) })),
  );
}
