/**
 * An engine without a network: hands prepared requests to the app and counts the answers.
 *
 *   ask(n) ──▶ n × handler.handle(exchange) ──▶ respond ──▶ delivered, at once
 *
 * What is left is the framework's own work, without the noise of sockets.
 */
import type { Delivery, EngineHandler, Exchange, RunningEngine, ServerEngine, Sink } from "framework";

/** A request of the bench. */
export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

class NullExchange implements Exchange {
  readonly #asked: Asked;
  readonly #done: (status: number) => void;
  readonly method: string;
  readonly target: string;
  readonly peer = "127.0.0.1";
  readonly httpVersion = "1.1";
  readonly secure = false;
  readonly platform: readonly unknown[] = [];
  readonly headerCount = 2;
  readonly headerBytes = 0;
  readonly gone = false;

  constructor(asked: Asked, done: (status: number) => void) {
    this.#asked = asked;
    this.#done = done;
    this.method = asked.method;
    this.target = asked.target;
  }

  header(name: string): string | undefined {
    return this.#asked.headers[name];
  }

  *headers(): Generator<readonly [string, string]> {
    yield* Object.entries(this.#asked.headers);
  }

  read(): Promise<Uint8Array> {
    return Promise.reject(new Error("no case of the bench sends a body here"));
  }

  stream(): ReadableStream<Uint8Array> {
    throw new Error("no case of the bench sends a body here");
  }

  onGone(): void {}

  respond(status: number, _headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    delivery.delivered(body?.length ?? 0, false);
    this.#done(status);
  }

  open(): Sink {
    throw new Error("no case of the bench streams");
  }

  cut(): void {}
}

/** The engine, and the way to ask the app behind it. */
export class NullEngine implements ServerEngine {
  readonly name = "null";
  #handler: EngineHandler | undefined;

  start(_config: object, handler: EngineHandler): Promise<RunningEngine> {
    this.#handler = handler;
    return Promise.resolve({ port: 0, stop: () => Promise.resolve() });
  }

  /** Asks `times` times, each once the one before is answered. @throws when an answer has another status. */
  async ask(asked: Asked, times: number, status = 200): Promise<void> {
    const handler = this.#handler;
    if (handler === undefined) throw new Error("the app has not been started");
    let answered = 0;
    let settle: () => void = () => undefined;
    const check = (got: number): void => {
      if (got !== status) throw new Error(`${asked.method} ${asked.target} answered ${got}, not ${status}`);
      answered += 1;
      settle();
    };
    for (let n = 1; n <= times; n += 1) {
      handler.handle(new NullExchange(asked, check));
      if (answered === n) continue;
      await new Promise<void>((resolve) => {
        settle = resolve;
      });
    }
  }
}
