/** MemoryEngine: serves requests handed over in memory. Shows all that an engine has to do. */
import { ContentTooLargeError } from "framework";
import type { EngineConfig, EngineHandler, Exchange, RunningEngine, ServerEngine } from "framework/engine";

/** A request; header names in lower case. */
export interface Ask {
  method: string;
  target: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A response; headers as a flat list of names and values. */
export interface MemoryResponse {
  status: number;
  headers: readonly string[];
  body: string;
}

/** An engine without a network. */
export class MemoryEngine implements ServerEngine {
  readonly name = "memory";
  #handler: EngineHandler | undefined;

  async start({ port }: EngineConfig, handler: EngineHandler): Promise<RunningEngine> {
    this.#handler = handler;
    return { port, stop: async () => void (this.#handler = undefined) };
  }

  /** Rejects when nothing is started, and when a response cannot be completed. */
  ask(request: Ask): Promise<MemoryResponse> {
    return new Promise((respond, cut) => {
      if (this.#handler === undefined) throw new Error("the app is not started");
      this.#handler.handle(exchange(request, respond, cut));
    });
  }
}

function exchange(request: Ask, respond: (response: MemoryResponse) => void, cut: (error: Error) => void): Exchange {
  const { method, target, headers = {}, body = "" } = request;
  const sent = new Blob([body]);
  const text = (chunk: string | Uint8Array = ""): string =>
    typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
  return {
    method,
    target,
    peer: undefined,
    httpVersion: "1.1",
    secure: false,
    platform: [],
    gone: false,
    headerCount: Object.keys(headers).length,
    headerBytes: JSON.stringify(headers).length,
    header: (name) => headers[name],
    headers: () => Object.entries(headers),
    async read(limit) {
      if (sent.size > limit) throw new ContentTooLargeError(limit);
      return new Uint8Array(await sent.arrayBuffer());
    },
    stream: () => sent.stream(),
    onGone: () => undefined,
    respond(status, list, payload, delivery) {
      const whole = method === "HEAD" || status === 204 || status === 304 ? "" : text(payload);
      respond({ status, headers: list, body: whole });
      delivery.delivered(new Blob([whole]).size, false);
    },
    open(status, list) {
      const chunks: string[] = [];
      return {
        write: (chunk) => chunks.push(text(chunk)) > 0,
        bufferedBytes: 0,
        drained: async () => undefined,
        end: () => respond({ status, headers: list, body: chunks.join("") }),
      };
    },
    cut: () => cut(new Error("the response was cut short")),
  };
}
