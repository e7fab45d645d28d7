/**
 * NodeExchange: a request and its answer on node:http.
 *
 * Hot path: `respond` is one `writeHead` with a flat list and one `end`.
 *
 * Spec: spec/lifecycle.md (LIFE)
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ClientGoneError, ContentTooLargeError } from "../errors.ts";
import type { Delivery, Exchange, GoneListener, Sink } from "./exchange.ts";
import type { OpenExchange, SocketBook } from "./sockets.ts";

/** One request on node:http. */
export class NodeExchange implements Exchange, OpenExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly #sockets: SocketBook;
  readonly method: string;
  readonly target: string;
  earlier: OpenExchange | undefined = undefined;
  gone = false;
  #listener: GoneListener | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, sockets: SocketBook) {
    this.req = req;
    this.res = res;
    this.#sockets = sockets;
    this.method = req.method ?? "";
    this.target = req.url ?? "/";
    sockets.open(req.socket, this);
  }

  get peer(): string | undefined {
    return this.req.socket.remoteAddress;
  }

  get httpVersion(): string {
    return this.req.httpVersion;
  }

  get secure(): boolean {
    return "encrypted" in this.req.socket;
  }

  get platform(): readonly unknown[] {
    return [this.req, this.res];
  }

  get headerCount(): number {
    return this.req.rawHeaders.length >> 1;
  }

  header(name: string): string | undefined {
    const value: unknown = this.req.headers[name];
    return typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : undefined;
  }

  *headers(): Generator<readonly [string, string]> {
    const raw = this.req.rawHeaders;
    for (let i = 0; i + 1 < raw.length; i += 2) yield [raw[i] ?? "", raw[i + 1] ?? ""];
  }

  read(limit: number): Promise<Uint8Array> {
    return readBody(this.req, limit);
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    return streamBody(this.req, limit);
  }

  onGone(listener: GoneListener): void {
    this.#listener = listener;
    if (this.gone) listener.gone();
  }

  leave(): void {
    if (this.gone) return;
    this.gone = true;
    this.#listener?.gone();
  }

  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const { res } = this;
    const bodyless = status === 204 || status === 304;
    const length =
      body === undefined || bodyless ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
    if (!bodyless) headers.push("Content-Length", String(length));
    if (this.#sockets.draining) headers.push("Connection", "close");
    const sent = length === 0 || this.method === "HEAD" ? 0 : length;
    res.writeHead(status, headers);
    res.end(sent === 0 ? undefined : body);
    if (res.writableLength === 0) {
      this.#close();
      delivery.delivered(sent, false);
    } else {
      this.#awaitDelivery(sent, delivery);
    }
  }

  open(status: number, headers: string[], bodyless: boolean): Sink {
    if (this.#sockets.draining) headers.push("Connection", "close");
    const { res } = this;
    this.#sockets.guard(this.req.socket);
    res.writeHead(status, headers);
    if (!bodyless) res.flushHeaders();
    res.on("error", () => undefined);
    return {
      write: (chunk) => res.write(chunk),
      get bufferedBytes() {
        return res.writableLength;
      },
      drained: () => drained(res),
      end: () => {
        res.end(() => this.#close());
      },
    };
  }

  cut(): void {
    this.#close();
    this.req.socket.destroy();
  }

  #close(): void {
    this.#sockets.close(this.req.socket, this);
  }

  /** The client reads slowly: the answer is over when its last byte is handed over, or the socket closes. */
  #awaitDelivery(sent: number, delivery: Delivery): void {
    const { res } = this;
    this.#sockets.guard(this.req.socket);
    let over = false;
    const finish = (aborted: boolean, bytes: number): void => {
      if (over) return;
      over = true;
      this.#close();
      delivery.delivered(bytes, aborted);
    };
    const cut = (): void => finish(true, Math.max(0, sent - res.writableLength));
    // Node says "finish" also when the socket is destroyed with the answer still in it.
    res.once("finish", () => (this.req.socket.destroyed ? cut() : finish(false, sent)));
    res.once("close", () => (res.writableFinished ? finish(false, sent) : cut()));
  }
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (res.destroyed || res.writableLength === 0) return resolve();
    const done = (): void => {
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    res.on("drain", done);
    res.on("close", done);
  });
}

/** The whole body. Over the limit, what is left is discarded by Node when the response ends. */
export function readBody(req: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers["content-length"]) > limit) return reject(new ContentTooLargeError(limit));
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onData = (chunk: Uint8Array): void => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      req.off("data", onData);
      req.pause();
      reject(new ContentTooLargeError(limit));
    };
    req.on("data", onData);
    req.once("end", () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)),
    );
    req.once("error", () => reject(new ClientGoneError()));
    req.once("close", () => {
      if (!req.complete) reject(new ClientGoneError());
    });
  });
}

function streamBody(req: IncomingMessage, limit: number): ReadableStream<Uint8Array> {
  let size = 0;
  const source = req[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await source.next();
        if (done === true) return controller.close();
        size += value.length;
        if (size > limit) return controller.error(new ContentTooLargeError(limit));
        controller.enqueue(new Uint8Array(value));
      } catch {
        controller.error(new ClientGoneError());
      }
    },
  });
}
