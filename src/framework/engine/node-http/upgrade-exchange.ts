/**
 * UpgradeExchange: a request for an upgrade, on a connection that Node's parser has released.
 *
 *   respond, open ──▶ an ordinary response; the connection closes after it, since nothing parses it any more
 *   upgrade ──▶ the socket belongs to its new owner, and counts as open until that ends it
 *
 * Spec: spec/engines.md, spec/websocket.md
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Delivery, Sink, Upgraded } from "../../http/exchange.ts";
import { asksForWebSocket } from "../../internal/http-rules.ts";
import { ignore } from "../../internal/thenable.ts";
import type { Connections } from "../connection-tracker.ts";
import { NodeExchange } from "./node-exchange.ts";

/** Does that request ask for a WebSocket, and for nothing else, without a body that must be read first? */
export function isUpgrade(req: IncomingMessage): boolean {
  const { headers, method, httpVersion } = req;
  const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return !hasBody && asksForWebSocket({ method, httpVersion, header: (name) => valueOf(headers[name]) });
}

const valueOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "object" ? value.join(", ") : value;

/** Runs `then` after Node has released the socket, because in this turn it may still end the response before. */
export function whenDetached(socket: Socket, then: () => void): void {
  if (!socket.listeners("error").includes(ignore)) socket.on("error", ignore); // A connection may come here again.
  setImmediate(() => {
    if (!socket.destroyed) then();
  });
}

/** Replaces an empty view of the request's read buffer, which would be kept as long as the connection. */
const nothing: Uint8Array = new Uint8Array();

/** One request for an upgrade. */
export class UpgradeExchange extends NodeExchange {
  readonly #head: Uint8Array;
  #isTaken = false;

  constructor(req: IncomingMessage, res: ServerResponse, head: Uint8Array, sockets: Connections) {
    super(req, res, sockets);
    this.#head = head.length === 0 ? nothing : head;
    req.socket.on("close", () => {
      if (!this.#isTaken) this.leave();
    });
  }

  upgrade(take: (connection: Upgraded) => void): void {
    this.#isTaken = true;
    take({ request: this.req, socket: this.req.socket, head: this.#head, over: () => this.close() });
  }

  override respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    this.#stay(headers);
    super.respond(status, headers, body, delivery);
  }

  override open(status: number, headers: string[], bodyless: boolean): Sink {
    this.#stay(headers);
    return super.open(status, headers, bodyless);
  }

  /** The connection stays HTTP, for this response. */
  #stay(headers: string[]): void {
    const { res } = this;
    const { socket } = this.req;
    headers.push("Connection", "close");
    res.shouldKeepAlive = false;
    socket.on("drain", () => res.emit("drain"));
    socket.on("timeout", () => socket.destroy());
    res.once("finish", () => {
      res.detachSocket(socket);
      socket.destroySoon();
    });
    res.assignSocket(socket);
    socket.resume();
  }
}
