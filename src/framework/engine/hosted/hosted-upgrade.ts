/**
 * app.upgradeListener(): the app's WebSockets on somebody else's server.
 *
 *   server.on("upgrade") ──▶ (req, socket, head) ──▶ UpgradeExchange ──▶ the app
 *                                   │                   └─ nothing is registered here ──▶ next(), where there is one
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

/** What Node's servers pass to a listener for `upgrade`; structural, so that no Node types are needed to read it. */
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

/** A connection of a server of Node's, which it knows. */
type HostSocket = Socket & { readonly server?: { emit(event: string, socket: Socket): unknown } };

/**
 * Clients ask for `h2c` with ordinary requests, bodies too, and no WebSocket begins with one: the server reads such a request
 * anew, without what asks for the upgrade.
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
  /** Hands the request to the host; not there where no host waits for it. */
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

  /** What is sound is the host's to say. */
  override get flaw(): undefined {
    return undefined;
  }
}
