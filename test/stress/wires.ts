/**
 * Wires: every way to reach the app under test, and one client for all of them.
 *
 *   engine     what serves                                     wires
 *   http1      NodeHttpEngine                                  HTTP/1.1
 *   h2c        NodeHttp2Engine                                 h2c · HTTP/1.1 beside h2c
 *   tls        NodeHttp2Engine with a certificate              h2 over TLS · HTTP/1.1 over TLS
 *   listener   node:http ──▶ app.listener()                    app.listener
 *   fetch      node:http ──▶ Request ──▶ app.fetch             app.fetch
 *   bun, deno  framework/bun, framework/deno, where installed  HTTP/1.1 there
 */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";

/** The engines that may serve the app. */
export const engineNames = ["http1", "h2c", "tls", "listener", "fetch"] as const;

/** The runtimes other than Node that may serve it. */
export const hostNames = ["bun", "deno"] as const;

/** One of them. */
export type EngineName = (typeof engineNames | typeof hostNames)[number];

/** An engine and the protocol that its client speaks. */
export interface Wire {
  readonly name: string;
  readonly engine: EngineName;
  readonly isHttp2: boolean;
}

/** All of them. */
export const wires: readonly Wire[] = [
  { name: "HTTP/1.1", engine: "http1", isHttp2: false },
  { name: "h2c", engine: "h2c", isHttp2: true },
  { name: "HTTP/1.1 beside h2c", engine: "h2c", isHttp2: false },
  { name: "h2 over TLS", engine: "tls", isHttp2: true },
  { name: "HTTP/1.1 over TLS", engine: "tls", isHttp2: false },
  { name: "app.listener", engine: "listener", isHttp2: false },
  { name: "app.fetch", engine: "fetch", isHttp2: false },
];

/** Those on other runtimes. */
export const hostWires: readonly Wire[] = [
  { name: "Bun", engine: "bun", isHttp2: false },
  { name: "Deno", engine: "deno", isHttp2: false },
];

/** A connection for raw bytes. Its errors end it. `from` is the address that the app sees. */
export function dial({ engine, isHttp2 }: Wire, port: number, from = "127.0.0.1"): Socket {
  const to = { port, host: "127.0.0.1", localAddress: from, noDelay: true, allowHalfOpen: true };
  const protocols = { rejectUnauthorized: false, ALPNProtocols: [isHttp2 ? "h2" : "http/1.1"] };
  return (engine === "tls" ? connectTls({ ...to, ...protocols }) : connect(to)).on("error", () => undefined);
}

/** A request. Its headers are those of HTTP/1.1, including `Host`. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | undefined;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

/** The head of a response. Destroy the body if you do not read it. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable;
}

/** A client that keeps its connections: as many as it needs over HTTP/1.1 (at most `connections`), one over HTTP/2. */
export class Client {
  readonly #wire: Wire;
  readonly #port: number;
  readonly #agent: HttpAgent;
  #session: ClientHttp2Session | undefined;

  constructor(wire: Wire, port: number, connections = Infinity) {
    const options = { keepAlive: true, maxSockets: connections, rejectUnauthorized: false };
    this.#wire = wire;
    this.#port = port;
    this.#agent = wire.engine === "tls" ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** The response's head. @throws (rejects) if none came */
  ask(sent: Sent): Promise<WireResponse> {
    return this.#wire.isHttp2 ? this.#askHttp2(sent) : this.#askHttp1(sent);
  }

  /** The whole response, its body as text. @throws (rejects) if it is incomplete */
  async get(sent: Sent): Promise<WireResponse & { readonly text: string }> {
    const response = await this.ask(sent);
    return { ...response, text: (await buffer(response.body)).toString("latin1") };
  }

  /** Its status, or undefined if the response is incomplete. */
  async status(sent: Sent): Promise<number | undefined> {
    return await this.get(sent).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  /** Ends its connections in any state. */
  close(): void {
    this.#agent.destroy();
    this.#session?.destroy();
  }

  #askHttp1({ body, headers, ...sent }: Sent): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      const request = this.#wire.engine === "tls" ? httpsRequest : httpRequest;
      const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
      const to = { agent: this.#agent, port: this.#port, host: "127.0.0.1", headers: { ...length, ...headers } };
      request({ ...to, ...sent }, (response) => {
        response.on("error", () => undefined);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response });
      })
        .on("error", reject)
        .end(body);
    });
  }

  #askHttp2({ method = "GET", path, headers = {}, body, signal }: Sent): Promise<WireResponse> {
    const { Host: host = "localhost", ...others } = headers;
    const pseudo = { ":method": method, ":path": path, ":authority": host };
    return new Promise((resolve, reject) => {
      const ends = { endStream: body === undefined, ...(signal && { signal }) };
      const stream = this.#connected().request({ ...pseudo, ...others }, ends);
      stream.on("error", reject).once("close", () => reject(new Error(`the stream was reset: ${stream.rstCode}`)));
      stream.once("response", (head) => resolve({ status: head[":status"] ?? 0, headers: head, body: stream }));
      if (body !== undefined) stream.end(body);
    });
  }

  #connected(): ClientHttp2Session {
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const scheme = this.#wire.engine === "tls" ? "https" : "http";
    const session = connectHttp2(`${scheme}://127.0.0.1:${this.#port}`, { rejectUnauthorized: false });
    return (this.#session = session.on("error", () => undefined));
  }
}

/** One request on a separate connection. */
export async function getOnce(wire: Wire, port: number, sent: Sent): Promise<WireResponse & { readonly text: string }> {
  const client = new Client(wire, port);
  return await client.get(sent).finally(() => client.close());
}
