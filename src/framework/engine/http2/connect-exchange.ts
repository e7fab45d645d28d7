/**
 * ConnectExchange: an HTTP/2 request that opens a WebSocket with an extended CONNECT.
 *
 *   CONNECT, :protocol websocket ──▶ the app: a GET that asks for an upgrade, as over HTTP/1.1
 *   upgrade ──▶ 200, and the stream is a tunnel that counts as open until its owner ends it
 *   respond, open ──▶ an ordinary response; but a 2xx would open the tunnel, so it is replaced by 501
 *
 * Routes and middleware need not know about it. A guard of a WebSocket over HTTP/1.1 also guards it here.
 *
 * Spec: spec/websocket.md, RFC 8441 §4, §5
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Delivery, Sink, Upgraded } from "../../http/exchange.ts";
import { rejectionOf } from "../rejection.ts";
import { type Connection, Http2Exchange } from "./http2-exchange.ts";
import { tunnelOver } from "./tunnel.ts";

/** Fields of HTTP/1.1 that `:protocol` replaces. */
const upgradeFields: ReadonlyMap<string, string> = new Map([
  ["connection", "Upgrade"],
  ["upgrade", "websocket"],
]);

/** Libraries of HTTP/1.1 ask for a key. HTTP/2 has none, and it has no effect (RFC 8441 §5). */
const anyKey = "dGhlIHNhbXBsZSBub25jZQ==";

/** One request for a WebSocket. */
export class ConnectExchange extends Http2Exchange {
  override readonly method: string = "GET";
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #connection: Connection;
  #isTaken = false;
  /** Would its response have opened the tunnel? */
  #isRejected = false;
  /** Has its client sent data on it? Then the response was used. */
  #isUsed = false;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    connection: Connection,
    startedAt: number,
  ) {
    super(stream, headers, raw, connection, startedAt);
    this.#stream = stream;
    this.#headers = headers;
    this.#connection = connection;
  }

  override header(name: string): string | undefined {
    return upgradeFields.get(name) ?? super.header(name);
  }

  override *headers(): Generator<readonly [string, string]> {
    yield* super.headers();
    yield* upgradeFields;
  }

  upgrade(take: (connection: Upgraded) => void): void {
    this.#isTaken = true;
    this.#stream.once("data", () => (this.#isUsed = true));
    const socket = tunnelOver(this.#stream);
    const { socket: connection, sockets } = this.#connection;
    const over = (): void => sockets.close(connection, this);
    take({ request: this.#asHttp1(socket), socket, head: new Uint8Array(), over });
  }

  /** The members of an `IncomingMessage` that an upgrade library reads. */
  #asHttp1(socket: object): object {
    const rawHeaders = [...this.headers(), ["sec-websocket-key", anyKey] as const].flat();
    const names = [
      ...Object.keys(this.#headers).filter((name) => !name.startsWith(":")),
      "host",
      ...upgradeFields.keys(),
    ];
    const headers = Object.fromEntries(names.map((name) => [name, this.header(name)]));
    const request = { method: this.method, url: this.target, httpVersion: "1.1", rawHeaders, socket };
    return { ...request, headers: { ...headers, "sec-websocket-key": anyKey } };
  }

  override respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    if (!isSuccess(status)) return super.respond(status, headers, body, delivery);
    super.respond(501, ["Content-Type", "application/problem+json"], rejectionOf(501).body, {
      isWatched: delivery.isWatched,
      delivered: (bytes, aborted) => delivery.delivered(bytes, aborted, 501),
    });
  }

  override open(status: number, headers: string[], bodyless: boolean): Sink {
    if (!isSuccess(status)) return super.open(status, headers, bodyless);
    super.open(501, [], true);
    this.#isRejected = true;
    this.leave();
    return nowhere;
  }

  override cut(): void {
    if (!this.#isRejected) super.cut(); // Its response is out.
  }

  /** Its request is whole, because a tunnel stays open as long as it is used. */
  override isLate(): boolean {
    return false;
  }

  override watch(): void {
    if (!this.#isTaken) super.watch();
  }

  protected override closed(): void {
    if (!this.#isTaken) return super.closed();
    if (!this.gone) this.#connection.count(this.#isUsed);
  }
}

/** Discards all writes. */
const nowhere: Sink = { write: () => true, bufferedBytes: 0, drained: () => Promise.resolve(), end: () => undefined };

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
