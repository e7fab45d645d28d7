/**
 * app.fetch: the app as a function from a web Request to a web Response. No socket, no Node.
 *
 * For tests, and for hosts that speak fetch (Bun, Deno, workerd). A client that leaves before the head rejects the
 * promise with its signal's reason.
 *
 * Spec: spec/engines.md (ENGINE), spec/lifecycle.md (LIFE)
 */
import { ClientGoneError, ContentTooLargeError } from "../../internal/errors.ts";
import type { Delivery, EngineHandler, Exchange, Sink } from "../../http/exchange.ts";
import { LeavingClient } from "../leaving.ts";
import { valuesOf } from "../lines.ts";

/** What a platform may pass beside the request: the address of its peer. */
interface PlatformInfo {
  readonly peerAddress: string;
}

const encoder = new TextEncoder();
const highWaterMark = 65_536;

/** `fetch` for an app. `ready` compiles it on the first call. */
export function fetchThrough(
  ready: () => EngineHandler,
): (request: Request, ...platform: readonly unknown[]) => Promise<Response> {
  // A request whose handler waits for nothing that lives would be collected, and with it the client's signal.
  const open: Set<FetchExchange> = new Set();
  return function fetch(request, ...platform) {
    return new Promise((resolve, reject) => {
      if (request.signal.aborted) return reject(request.signal.reason);
      const exchange = new FetchExchange(request, platform, { resolve, reject, over: () => open.delete(exchange) });
      open.add(exchange);
      ready().handle(exchange);
    });
  };
}

/** The caller that waits for the response. */
interface Asker {
  resolve(response: Response): void;
  reject(reason: unknown): void;
  /** The exchange is over: whole, cut or left. */
  over(): void;
}

class FetchExchange extends LeavingClient implements Exchange {
  readonly #request: Request;
  readonly #asker: Asker;
  readonly method: string;
  readonly target: string;
  readonly platform: readonly unknown[];
  readonly httpVersion: string = "1.1";
  #fail: (() => void) | undefined;

  constructor(request: Request, platform: readonly unknown[], asker: Asker) {
    super();
    this.#request = request;
    this.#asker = asker;
    this.platform = platform;
    this.method = request.method;
    this.target = targetOf(request.url);
    request.signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  get peer(): string | undefined {
    const told = this.platform.find(
      (value): value is PlatformInfo => typeof value === "object" && value !== null && "peerAddress" in value,
    );
    return typeof told?.peerAddress === "string" ? told.peerAddress : undefined;
  }

  get secure(): boolean {
    return this.#request.url.startsWith("https:");
  }

  get headerCount(): number {
    let count = 0;
    this.#request.headers.forEach(() => (count += 1));
    return count;
  }

  get headerBytes(): number {
    let bytes = this.target.length;
    this.#request.headers.forEach((value, name) => (bytes += name.length + value.length));
    return bytes;
  }

  get hasTwoTypes(): boolean {
    const value = this.#request.headers.get("content-type");
    return value !== null && value.includes(",") && new Set(valuesOf(value)).size > 1;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value === null) return name === "host" ? new URL(this.#request.url).host : undefined;
    if (name !== "content-type" || !value.includes(",")) return value;
    const [only = value, ...others] = new Set(valuesOf(value)); // The same line twice is one.
    return others.length === 0 ? only : value;
  }

  *headers(): Generator<readonly [string, string]> {
    if (!this.#request.headers.has("host")) yield ["host", new URL(this.#request.url).host];
    for (const pair of this.#request.headers) yield pair;
  }

  async read(limit: number): Promise<Uint8Array> {
    if (Number(this.header("content-length")) > limit) throw new ContentTooLargeError(limit);
    const chunks: Uint8Array[] = [];
    let size = 0;
    const reader = this.stream(limit).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      chunks.push(read.value);
      size += read.value.length;
    }
    const [first] = chunks;
    if (chunks.length === 1 && first !== undefined) return first;
    const whole = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    const { body } = this.#request;
    if (body === null) return new ReadableStream({ start: (controller) => controller.close() });
    const reader = body.getReader();
    let size = 0;
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          size += value.length;
          if (size > limit) return controller.error(new ContentTooLargeError(limit));
          controller.enqueue(value);
        } catch {
          controller.error(new ClientGoneError());
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const bytes = typeof body === "string" ? encoder.encode(body) : body;
    const bodyless = status === 204 || status === 304;
    const length = bodyless ? 0 : (bytes?.length ?? 0);
    if (!bodyless) headers.push("Content-Length", String(length));
    const sent = this.method === "HEAD" ? 0 : length;
    this.#asker.resolve(
      new Response(sent === 0 ? null : (bytes as Uint8Array<ArrayBuffer>), { status, headers: pairsOf(headers) }),
    );
    this.#asker.over();
    delivery.delivered(sent, false);
  }

  open(status: number, headers: string[], bodyless: boolean): Sink {
    let waiting: (() => void)[] = [];
    const wake = (): void => {
      const woken = waiting;
      waiting = [];
      for (const resolve of woken) resolve();
    };
    let open = true;
    let target: ReadableStreamDefaultController<Uint8Array> | undefined;
    const close = (): void => {
      open = false;
      this.#asker.over();
      wake();
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (target = controller),
        pull: () => wake(),
        cancel: () => {
          close();
          this.leave();
        },
      },
      { highWaterMark, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    this.#fail = () => {
      if (open) target?.error(new Error("the response was cut short"));
      close();
    };
    this.#asker.resolve(new Response(bodyless ? null : body, { status, headers: pairsOf(headers) }));
    return {
      write(chunk) {
        if (open) target?.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        return (target?.desiredSize ?? 1) > 0;
      },
      get bufferedBytes() {
        return open ? Math.max(0, highWaterMark - (target?.desiredSize ?? highWaterMark)) : 0;
      },
      drained: () =>
        open && (target?.desiredSize ?? 1) <= 0
          ? new Promise((resolve) => void waiting.push(resolve))
          : Promise.resolve(),
      end: () => {
        if (open && !bodyless) target?.close();
        close();
      },
    };
  }

  cut(): void {
    this.#asker.over();
    if (this.#fail === undefined) this.#asker.reject(new Error("the response could not be made"));
    else this.#fail();
  }

  override leave(): void {
    if (this.gone) return;
    super.leave();
    this.#asker.over();
    this.#fail?.();
    this.#asker.reject(this.#request.signal.reason);
  }
}

/** Path and query of an absolute URL, as written. */
function targetOf(url: string): string {
  const slash = url.indexOf("/", url.indexOf("//") + 2);
  const hash = url.indexOf("#");
  return slash < 0 ? "/" : url.slice(slash, hash < 0 ? undefined : hash);
}

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) pairs.push([flat[i] ?? "", flat[i + 1] ?? ""]);
  return pairs;
}
