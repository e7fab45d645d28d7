/**
 * A load over HTTP/2, cleartext: as many requests at once as autocannon has connections, eight to a session.
 *
 *   session ▸ stream ──▶ response ──▶ the next stream
 *
 * autocannon speaks HTTP/1.1 only.
 */
import { EventEmitter, once } from "node:events";
import { connect, type ClientHttp2Session } from "node:http2";
import type { Load, LoadOptions } from "./autocannon.ts";

const streamsPerSession = 8;

class Http2Load extends EventEmitter implements Load {
  readonly #sessions: ClientHttp2Session[] = [];
  readonly over: Promise<void>;
  #isOver = false;

  constructor({ url, method, headers, connections }: LoadOptions) {
    super();
    const { origin, pathname, search } = new URL(url);
    const head = { ...headers, ":method": method, ":path": pathname + search };
    for (let n = 0; n < connections; n += streamsPerSession) {
      const session = connect(origin);
      session.on("error", (error) => void (this.#isOver || this.emit("reqError", error)));
      this.#sessions.push(session);
      for (let stream = n; stream < Math.min(n + streamsPerSession, connections); stream += 1) this.#ask(session, head);
    }
    this.over = Promise.all(this.#sessions.map((session) => once(session, "close"))).then(() => undefined);
  }

  stop(): void {
    this.#isOver = true;
    for (const session of this.#sessions) session.destroy();
  }

  #ask(session: ClientHttp2Session, head: Record<string, string>): void {
    if (this.#isOver || session.destroyed) return;
    const from = performance.now();
    let status = 0;
    let bytes = 0;
    const stream = session.request(head);
    stream.on("response", (headers) => void (status = headers[":status"] ?? 0));
    stream.on("data", (chunk: Buffer) => void (bytes += chunk.length));
    stream.on("error", (error) => void (this.#isOver || this.emit("reqError", error)));
    stream.on("end", () => {
      if (this.#isOver) return;
      this.emit("response", undefined, status, bytes, performance.now() - from);
      this.#ask(session, head);
    });
    stream.end();
  }
}

/** Starts a load, as `startLoad` does; it lasts until it is stopped. */
export function startHttp2Load(options: LoadOptions): { readonly load: Load; readonly over: Promise<void> } {
  const load = new Http2Load(options);
  return { load, over: load.over };
}
