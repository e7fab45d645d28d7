/**
 * Collector: a client of devtools' stream, which counts the traces of each nonce and looks into their calls.
 */
import { get, type ClientRequest } from "node:http";

interface TraceEvent {
  readonly path: string;
  readonly id: string;
  readonly calls: readonly { readonly args: readonly unknown[] }[];
}

/** Reads `/framework/dev/api/stream` until it is closed. */
export class TraceCollector {
  /** How many traces of each nonce came. */
  readonly traces: Uint8Array;
  /** Traces of any path. */
  total = 0;
  /** Traces with a call, or an id, of another request. */
  misattributed = 0;
  /** Traces that the stream said were missed. */
  missed = 0;
  readonly #request: ClientRequest;
  readonly connected: Promise<void>;
  #rest = "";

  constructor(port: number, size: number) {
    this.traces = new Uint8Array(size);
    let connect = (): void => undefined;
    this.connected = new Promise((resolve) => (connect = resolve));
    this.#request = get({ port, host: "127.0.0.1", path: "/framework/dev/api/stream", agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        connect();
        this.#take(chunk);
      });
      response.on("error", () => undefined);
    });
    this.#request.on("error", () => undefined);
  }

  close(): void {
    this.#request.destroy();
  }

  #take(chunk: string): void {
    const events = (this.#rest + chunk).split("\n\n");
    this.#rest = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      if (event.startsWith("event: gap")) this.missed += (JSON.parse(data) as { missed: number | null }).missed ?? 1;
      else this.#count(JSON.parse(data) as TraceEvent);
    }
  }

  #count({ path, id, calls }: TraceEvent): void {
    this.total += 1;
    const nonce = /^\/r\/[a-z]+\/(\d+)$/.exec(path)?.[1];
    if (nonce === undefined) return;
    this.traces[Number(nonce)] = (this.traces[Number(nonce)] ?? 0) + 1;
    if (id !== `n${nonce}` || calls.some(({ args }) => args[0] !== nonce)) this.misattributed += 1;
  }
}
