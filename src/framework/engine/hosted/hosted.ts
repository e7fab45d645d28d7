/**
 * app.listener(): the app inside another server: node:http, Express, Connect, Fastify.
 *
 *   host's (req, res, next) ──▶ HostedExchange ──▶ the app
 *                                   └─ nothing is registered here ──▶ next(): the host owns that request
 *
 * The host's headers and cookies survive, because the head is applied with setHeader and appendHeader, never as a flat list.
 * The path is the host's `req.url`, which under a mount point is the rest after it. Limits apply. Timeouts and the end of the
 * server belong to the host.
 *
 * Spec: spec/engines.md
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ContentTooLargeError } from "../../internal/errors.ts";
import { countHosts } from "../../http/authority.ts";
import type { Delivery, EngineHandler, Flaw, Sink } from "../../http/exchange.ts";
import { hostedBody, isReadByHost } from "./hosted-body.ts";
import { carry } from "../lingering.ts";
import { announcesBody } from "../node-http/incoming.ts";
import { NodeExchange } from "../node-http/node-exchange.ts";
import { contentLength, isReset } from "../node-streams.ts";
import { uncounted } from "../connection-tracker.ts";

/** The arguments of Node, Express and Connect. Structural, so that no Node types are needed to read it. */
export type NodeListener = (req: object, res: object, next?: (error?: unknown) => void) => void;

/** Fields that keep the host's lines next to the app's. In all others the app's replace them. */
const added: ReadonlySet<string> = new Set(["set-cookie", "vary"]);

/** A request listener for a host. `ready` compiles the app on the first call. */
export function hostedListener(ready: () => EngineHandler): NodeListener {
  return function handleHosted(req, res, next) {
    const incoming = req as IncomingMessage;
    if (incoming.socket.writableEnded) return; // After a closing response. Node fails when the response is sent in pieces.
    ready().handle(new HostedExchange(incoming, res as ServerResponse, next));
  };
}

/** Exchanges with responses that wait for another one. Node emits nothing on such a response when its connection ends. */
const queues = new WeakMap<Socket, Set<HostedExchange>>();

function queueOf(socket: Socket): Set<HostedExchange> {
  const known = queues.get(socket);
  if (known !== undefined) return known;
  const queue = new Set<HostedExchange>();
  queues.set(socket, queue);
  socket.once("close", () => {
    for (const exchange of queue) exchange.leave();
  });
  return queue;
}

class HostedExchange extends NodeExchange {
  /** Passes the request to the host. Absent when no host waits for it. */
  readonly pass?: (headers: readonly string[], delivery: Delivery) => boolean;

  constructor(req: IncomingMessage, res: ServerResponse, next: ((error?: unknown) => void) | undefined) {
    super(req, res, uncounted);
    if (next !== undefined) this.pass = (headers, delivery) => this.#pass(next, headers, delivery);
    const queue = res.socket === null ? queueOf(req.socket).add(this) : undefined;
    res.once("close", () => {
      queue?.delete(this);
      if (!this.#isWhole()) this.leave();
    });
  }

  /** The host validates the rest. It may allow a request without a Host. */
  override get flaw(): Flaw | undefined {
    const hosts = countHosts(this.req.rawHeaders);
    return hosts === undefined || hosts > 1 ? 400 : undefined;
  }

  /** The host's parser does not know the app's limit. */
  override get headerBytes(): number {
    return this.req.rawHeaders.reduce((bytes, text) => bytes + text.length, this.target.length);
  }

  get isBodyDecoded(): boolean {
    return isReadByHost(this.req);
  }

  override async read(limit: number): Promise<Uint8Array> {
    const kept = hostedBody(this.req);
    if (kept === undefined) return super.read(limit);
    if (kept.length > limit) throw new ContentTooLargeError(limit);
    return kept;
  }

  override stream(limit: number): ReadableStream<Uint8Array> {
    const kept = hostedBody(this.req);
    if (kept === undefined) return super.stream(limit);
    return new ReadableStream({
      start(controller) {
        if (kept.length > limit) return controller.error(new ContentTooLargeError(limit));
        if (kept.length > 0) controller.enqueue(kept);
        controller.close();
      },
    });
  }

  override respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const { res } = this;
    this.#apply(status, headers);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const length = contentLength(this.method, status, bytes);
    if (length !== undefined) res.setHeader("Content-Length", length);
    const sent = length === undefined || this.method === "HEAD" ? 0 : length;
    this.#whenOver((isAborted) => delivery.delivered(isAborted ? 0 : sent, isAborted));
    res.end(sent === 0 ? undefined : bytes);
  }

  override open(status: number, headers: string[], bodyless: boolean): Sink {
    this.#apply(status, headers);
    const sink = super.open(status, [], bodyless);
    return /^text\/event-stream/i.test(String(this.res.getHeader("content-type"))) ? flushed(sink, this.res) : sink;
  }

  #pass(next: () => void, headers: readonly string[], delivery: Delivery): boolean {
    const { res } = this;
    const isOut = res.headersSent; // The host has not waited, perhaps because of its own time limit.
    if (!isOut) this.#apply(res.statusCode, headers);
    if (isOut && this.#isWhole()) delivery.delivered(0, false, res.statusCode);
    else this.#whenOver((isAborted) => delivery.delivered(0, isAborted, res.statusCode));
    if (!isOut) next();
    return true;
  }

  /** Reports once, when the response is out or its client has left. */
  #whenOver(tell: (isAborted: boolean) => void): void {
    let isTold = false;
    const over = (isAborted: boolean): void => {
      if (!isTold) tell(isAborted);
      isTold = true;
    };
    this.lost = () => over(true);
    this.res.once("close", () => over(!this.#isWhole()));
  }

  override cut(): void {
    this.res.destroy();
  }

  #isWhole(): boolean {
    return this.res.writableFinished && !isReset(this.socket);
  }

  #apply(status: number, headers: readonly string[]): void {
    const { req, res } = this;
    if (req.httpVersionMajor === 1 && announcesBody(req)) carry(req);
    if (res.headersSent) throw new Error("the host has responded already: let the app's listener run alone");
    res.statusCode = status;
    const own = new Set<string>();
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const written = headers[i] ?? "";
      const value = headers[i + 1] ?? "";
      const name = written.toLowerCase();
      if (added.has(name) || own.has(name)) res.appendHeader(written, value);
      else res.setHeader(written, value);
      own.add(name);
    }
  }
}

/** Events must not wait in a host's compressor. `compression` offers `res.flush()` for that. */
function flushed(sink: Sink, res: ServerResponse): Sink {
  const flush: unknown = Reflect.get(res, "flush");
  if (typeof flush !== "function") return sink;
  return {
    write(chunk) {
      const roomy = sink.write(chunk);
      flush.call(res);
      return roomy;
    },
    get bufferedBytes() {
      return sink.bufferedBytes;
    },
    drained: () => sink.drained(),
    end: () => sink.end(),
  };
}
