/**
 * app.upgradeListener(): the app's WebSockets on another server.
 *
 *   server.on("upgrade") ──▶ (req, socket, head) ──▶ UpgradeExchange ──▶ the app
 *                                   │                   └─ nothing is registered here ──▶ next(), if there is one
 *                                   └─ with a body, which Node does not read then ──▶ the server again, as an ordinary request
 *
 * Without this listener a host's server treats an upgrade as an ordinary request, and the app responds 501.
 *
 * Spec: spec/engines.md, spec/websocket.md
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Delivery, EngineHandler } from "../../http/exchange.ts";
import { hasBody } from "./hosted-body.ts";
import { uncounted } from "../connection-tracker.ts";
import { nodeModule } from "../listening.ts";
import { UpgradeExchange, whenDetached } from "../node-http/upgrade-exchange.ts";

/**
 * The arguments that Node's servers pass to a listener for `upgrade`. Structural, so that no Node types are needed to read it.
 */
export type NodeUpgradeListener = (req: object, socket: object, head: Uint8Array, next?: () => void) => void;

interface HttpModule {
  readonly ServerResponse: typeof ServerResponse;
}

/** A listener for a host's upgrades. `ready` compiles the app on the first call. */
export function hostedUpgradeListener(ready: () => EngineHandler): NodeUpgradeListener {
  return function handleUpgrade(req, socket, head, next) {
    const request = req as IncomingMessage;
    const { ServerResponse } = nodeModule<HttpModule>("node:http", "app.upgradeListener()");
    whenDetached(socket as Socket, () => {
      if (hasBody(request)) giveBack(request, socket as HostSocket, head);
      else ready().handle(new HostedUpgrade(request, new ServerResponse(request), head, next));
    });
  };
}

/** A connection with its Node server. */
type HostSocket = Socket & { readonly server?: { emit(event: string, socket: Socket): unknown } };

/**
 * Clients also send ordinary requests with `h2c`, even with bodies, and no WebSocket begins with a body. The server parses such
 * a request again, without its upgrade fields.
 */
function giveBack(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: HostSocket,
  head: Uint8Array,
): void {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!/^upgrade$/i.test(rawHeaders[at] ?? "")) text += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  socket.unshift(head);
  socket.unshift(`${text}\r\n`, "latin1");
  socket.server?.emit("encrypted" in socket ? "secureConnection" : "connection", socket);
}

class HostedUpgrade extends UpgradeExchange {
  /** Passes the request to the host. Absent when no host waits for it. */
  readonly pass?: (headers: readonly string[], delivery: Delivery) => boolean;

  constructor(req: IncomingMessage, res: ServerResponse, head: Uint8Array, next: (() => void) | undefined) {
    super(req, res, head, uncounted);
    if (next === undefined) return;
    this.pass = (_headers, delivery) => {
      delivery.delivered(0, false, 404);
      next();
      return true;
    };
  }

  /** The host validates the request. */
  override get flaw(): undefined {
    return undefined;
  }
}
