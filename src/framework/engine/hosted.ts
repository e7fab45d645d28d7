/**
 * app.listener(): the app inside somebody else's server: node:http, Express, Connect, Fastify.
 *
 *   host's (req, res, next) ──▶ HostedExchange ──▶ the app
 *                                   └─ nothing is registered here ──▶ next(): the host owns that request
 *
 * Headers and cookies that the host has set survive: the head is applied with setHeader and appendHeader, never as a
 * flat list. A body that the host has parsed already is used as it is.
 *
 * Spec: spec/lifecycle.md (LIFE)
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Delivery, EngineHandler, Sink } from "./exchange.ts";
import { NodeExchange } from "./node-exchange.ts";
import { SocketBook } from "./sockets.ts";

/** What Node, Express and Connect pass; structural, so that no Node types are needed to read it. */
export type NodeListener = (req: object, res: object, next?: (error?: unknown) => void) => void;

/** A request listener for a host. `ready` compiles the app on the first call. */
export function hostedListener(ready: () => EngineHandler): NodeListener {
  const sockets = new SocketBook();
  return function handleHosted(req, res, next) {
    ready().handle(new HostedExchange(req as IncomingMessage, res as ServerResponse, sockets, next));
  };
}

class HostedExchange extends NodeExchange {
  readonly #next: ((error?: unknown) => void) | undefined;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    sockets: SocketBook,
    next: ((error?: unknown) => void) | undefined,
  ) {
    super(req, res, sockets);
    this.#next = next;
    res.once("close", () => {
      if (!res.writableFinished) this.leave();
    });
  }

  /** What is sound is the host's to say. */
  override get flaw(): undefined {
    return undefined;
  }

  override read(limit: number): Promise<Uint8Array> {
    const parsed: unknown = Reflect.get(this.req, "body");
    if (!this.req.readableEnded || parsed === undefined) return super.read(limit);
    if (parsed instanceof Uint8Array) return Promise.resolve(parsed);
    return Promise.resolve(new TextEncoder().encode(typeof parsed === "string" ? parsed : JSON.stringify(parsed)));
  }

  override respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const { res } = this;
    this.#apply(status, headers);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const length = status === 204 || status === 304 ? 0 : (bytes?.length ?? 0);
    if (status !== 204 && status !== 304) res.setHeader("Content-Length", length);
    const sent = this.method === "HEAD" ? 0 : length;
    res.once("close", () => delivery.delivered(sent, !res.writableFinished));
    res.end(sent === 0 ? undefined : bytes);
  }

  override open(status: number, headers: string[], bodyless: boolean): Sink {
    this.#apply(status, headers);
    return super.open(status, [], bodyless);
  }

  /** Hands the request to the host. */
  pass(headers: readonly string[], delivery: Delivery): boolean {
    if (this.#next === undefined) return false;
    const { res } = this;
    this.#apply(res.statusCode, headers);
    res.once("close", () => delivery.delivered(0, !res.writableFinished, res.statusCode));
    this.#next();
    return true;
  }

  #apply(status: number, headers: readonly string[]): void {
    const { res } = this;
    if (res.headersSent) throw new Error("the host has answered already: let the app's listener run alone");
    res.statusCode = status;
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] ?? "";
      const value = headers[i + 1] ?? "";
      if (/^(?:set-cookie|vary)$/i.test(name)) res.appendHeader(name, value);
      else res.setHeader(name, value);
    }
  }
}
