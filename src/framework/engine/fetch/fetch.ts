/**
 * app.fetch: the app as a function from a web Request to a web Response. No socket, no Node.
 *
 *   fetch ──▶ FetchExchange ──▶ handled synchronously? its Response
 *                 └─ else a promise of it, and if it takes long, the client is watched (watching.ts)
 *
 * For tests, and for hosts that speak fetch (Bun, Deno, workerd). Expensive calls are made only when needed: the request's
 * signal is read when a handler waits, and its headers when a handler asks. A client that leaves before the head rejects the
 * promise with its signal's reason.
 *
 * Spec: spec/engines.md
 */
import { ClientGoneError, ContentTooLargeError } from "../../internal/errors.ts";
import { isWithoutContent } from "../../internal/http-rules.ts";
import { stateError } from "../../internal/usage-errors.ts";
import { isHost } from "../../http/authority.ts";
import type { Delivery, EngineHandler, Exchange, Flaw, Sink, Upgraded } from "../../http/exchange.ts";
import { fieldOf } from "../../http/headers.ts";
import type { NativeUpgrade } from "../../http/native-socket.ts";
import { LeavingClient } from "../leaving.ts";
import { valuesOf } from "../lines.ts";
import { bodySink } from "./body-sink.ts";
import { collected, counted } from "./request-body.ts";
import { headersOf } from "./response-headers.ts";
import { runtime } from "./runtime.ts";
import { watchSoon, type Place } from "./watching.ts";

/** Facts that a platform may pass after the request, in any of its arguments. */
export interface FetchPlatform {
  /** The address of the request's peer. */
  readonly peerAddress?: string | undefined;
  /** Opens WebSockets, if the platform speaks that protocol. */
  readonly webSocket?: NativeUpgrade | undefined;
}

/** The size of a request's head: lines, and bytes of their names and values, including the target. */
interface HeadSize {
  readonly count: number;
  readonly bytes: number;
}

const unmeasured: HeadSize = { count: 0, bytes: 0 };

/** The app as a function. It returns a promise only when the response is not ready immediately. */
export type FetchHandler = (request: Request, ...platform: readonly unknown[]) => Response | Promise<Response>;

const encoder = new TextEncoder();

/**
 * The servers of Bun, Deno and workerd limit the head of a request themselves, and give a buffered response its Content-Length.
 * On Node any server may be in use, or none.
 */
const isServedByRuntime = runtime !== undefined;

const isWorker = runtime === "Cloudflare-Workers";

/**
 * Listening to a signal takes Deno as long as the rest of a request. On Node it keeps the request from the collector, which
 * doubles the cost of a body. A worker's timer must not touch another request.
 */
const isWatchedLater = !isWorker;

const isBunOrDeno = isServedByRuntime && !isWorker;

/**
 * The `fetch` function of an engine's handler, used by `app.fetch` and by engines for hosts that speak fetch. `ready` is called
 * at each request.
 */
export function fetchHandler(ready: () => EngineHandler): FetchHandler {
  return function fetch(request, ...platform) {
    const exchange = new FetchExchange(request, platform);
    ready().handle(exchange);
    return exchange.response ?? exchange.later();
  };
}

/** Exchanges with watched clients. */
const waiting: Set<FetchExchange> = new Set();

class FetchExchange extends LeavingClient implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly platform: readonly unknown[];
  readonly httpVersion: string = "1.1";
  /** Set when its head is there. */
  response: Response | undefined = undefined;
  readonly #request: Request;
  #failure: { readonly reason: unknown } | undefined = undefined;
  #resolve: ((response: Response) => void) | undefined = undefined;
  #reject: ((reason: unknown) => void) | undefined = undefined;
  #isWatched = false;
  /** Its place in the list of clients to watch. */
  #place: Place | undefined = undefined;
  /** Has the request become a WebSocket? Then its signal has no meaning any more. */
  #isTaken = false;
  #peer: string | undefined = undefined;
  #size: HeadSize | undefined = undefined;
  /** Cached, because it is read several times for a body, and a host makes a new text each time. */
  #contentType: string | null | undefined = undefined;
  #contentLength: string | null | undefined = undefined;
  /** Breaks the streamed body off. */
  #breakOff: (() => void) | undefined = undefined;

  constructor(request: Request, platform: readonly unknown[]) {
    super();
    this.#request = request;
    this.platform = platform;
    this.method = request.method;
    this.target = targetOf(request.url);
  }

  /** The response of an asynchronous chain. */
  later(): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure.reason);
      this.#resolve = resolve;
      this.#reject = reject;
      if (isWatchedLater) this.#place = watchSoon(this);
      else this.watch();
    });
  }

  watch(): void {
    if (this.#isWatched || this.gone) return;
    this.#isWatched = true;
    void this.peer;
    const { signal } = this.#request;
    if (signal.aborted) return this.leave();
    waiting.add(this);
    signal.addEventListener("abort", () => this.leave());
  }

  /** Cached early, because a platform may forget it when the head is out. */
  get peer(): string | undefined {
    try {
      const told = this.#peer ?? this.#told("peerAddress");
      return (this.#peer = typeof told === "string" ? told : undefined);
    } catch {
      return undefined; // Deno throws when the client has left.
    }
  }

  /** The platform's value with that name. */
  #told<Name extends keyof FetchPlatform>(name: Name): FetchPlatform[Name] {
    for (const value of this.platform)
      if (typeof value === "object" && value !== null && name in value) return (value as FetchPlatform)[name];
    return undefined;
  }

  get upgrade(): ((take: (connection: Upgraded) => void) => void) | undefined {
    const native = this.#told("webSocket");
    return typeof native?.open === "function" ? (take) => this.#switch(native, take) : undefined;
  }

  /** Turns the request into a WebSocket of the platform. */
  #switch(native: NativeUpgrade, take: (connection: Upgraded) => void): void {
    this.#isTaken = true;
    void this.peer;
    const socket: NativeUpgrade = {
      open: (handshake) => {
        const opened = native.open(handshake);
        if (opened !== undefined) this.#respondWith(opened.response);
        return opened;
      },
    };
    take({ request: this.#request, socket, head: new Uint8Array(0), over: () => undefined });
    this.#unwatch();
    if (this.response === undefined) this.#fail(new Error("the WebSocket could not be opened"));
  }

  get secure(): boolean {
    return this.#request.url.startsWith("https:");
  }

  /**
   * Finds an invalid Host. Deno builds the URL from its text, in which a slash would begin another path. A URL with one slash
   * there has none of the Host's, and Deno rejects several Hosts itself. Then the headers need not be read, which takes as long
   * as a response.
   */
  get flaw(): Flaw | undefined {
    const { url } = this.#request;
    const { authority, slash } = partsOf(url);
    if (!isHost(authority)) return 400;
    if (runtime === "Deno" && url.indexOf("/", slash + 1) < 0) return undefined;
    const host = this.#line("host");
    return host === null || isHost(host) ? undefined : 400;
  }

  get headerCount(): number {
    return this.#measured().count;
  }

  get headerBytes(): number {
    return this.#measured().bytes;
  }

  /** The size of the head, if the app has to enforce its limits. */
  #measured(): HeadSize {
    if (isServedByRuntime) return unmeasured;
    if (this.#size !== undefined) return this.#size;
    const size = { count: 0, bytes: this.target.length };
    for (const [name, value] of this.#request.headers) {
      size.count += 1;
      size.bytes += name.length + value.length;
    }
    return (this.#size = size);
  }

  get hasTwoTypes(): boolean {
    const value = this.#line("content-type");
    return value !== null && value.includes(",") && new Set(valuesOf(value)).size > 1;
  }

  header(name: string): string | undefined {
    const value = this.#line(name);
    if (value === null) return name === "host" ? hostOf(this.#request.url) : undefined;
    if (name !== "content-type" || !value.includes(",") || this.hasTwoTypes) return value;
    return valuesOf(value)[0]; // A repeated equal line counts as one.
  }

  #line(name: string): string | null {
    const { headers } = this.#request;
    if (name === "content-type") return (this.#contentType ??= headers.get(name));
    if (name === "content-length") return (this.#contentLength ??= headers.get(name));
    return headers.get(name);
  }

  *headers(): Generator<readonly [string, string]> {
    const host = this.#request.headers.has("host") ? undefined : hostOf(this.#request.url);
    if (host !== undefined) yield ["host", host];
    for (const pair of this.#request.headers) yield pair;
  }

  read(limit: number): Promise<Uint8Array> {
    if (this.#request.bodyUsed) return Promise.reject(readElsewhere());
    const announced = this.#line("content-length");
    if (announced === null) return collected(this.#request.body, limit);
    if (Number(announced) > limit) return Promise.reject(new ContentTooLargeError(limit));
    // `body` is not accessed, because a host then makes a stream of it and reads that instead of its bytes.
    return wholeOf(this.#request).then((bytes) => {
      if (bytes.length > limit) throw new ContentTooLargeError(limit);
      return bytes;
    }, broken);
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    if (this.#request.bodyUsed) throw readElsewhere();
    return counted(this.#request.body, limit);
  }

  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const isBodyless = status === 204 || status === 304;
    const isHead = this.method === "HEAD";
    const whole = isBodyless || body === undefined || body.length === 0 ? undefined : body;
    // A text is passed as it is, since the runtime takes longer for bytes. Without a type it would get one from the runtime.
    const isTyped = fieldOf(headers, "Content-Type") !== undefined;
    const isCounted = !isTyped || !isServedByRuntime || isHead || delivery.isWatched;
    const bytes = isCounted && typeof whole === "string" ? encoder.encode(whole) : whole;
    const length = bytes?.length ?? 0;
    // The length of GET's response is unknown when HEAD has no body (RFC 9110 §8.6).
    if (!isBodyless && (isHead ? body !== undefined : !isServedByRuntime))
      headers.push("Content-Length", String(length));
    const sent = isHead ? undefined : isTyped ? whole : bytes;
    this.#respondWith(new Response((sent ?? null) as BodyInit | null, initOf(status, headers)));
    this.#unwatch();
    delivery.delivered(sent === undefined ? 0 : length, false);
  }

  open(status: number, headers: string[], bodyless: boolean): Sink {
    const isEmpty = bodyless || isWithoutContent(status);
    const { body, sink, breakOff } = bodySink(isEmpty, {
      onClosed: () => this.#unwatch(),
      onCancelled: () => this.leave(),
    });
    this.#respondWith(new Response(isEmpty ? null : body, initOf(status, headers)));
    this.#breakOff = breakOff; // After that, because an invalid head leaves the response to be failed.
    return sink;
  }

  #respondWith(response: Response): void {
    this.response = response;
    this.#vacate();
    this.#resolve?.(response);
  }

  /** Nothing is pending any more. */
  #vacate(): void {
    if (this.#place !== undefined) this.#place.pending = undefined;
  }

  /** A later call watches nothing any more. */
  #unwatch(): void {
    if (this.#isWatched) waiting.delete(this);
    this.#isWatched = true;
  }

  cut(): void {
    this.#unwatch();
    if (this.#breakOff === undefined) this.#fail(new Error("the response could not be made"));
    else this.#breakOff();
  }

  override leave(): void {
    if (this.gone || this.#isTaken) return;
    super.leave();
    this.#unwatch();
    this.#breakOff?.();
    this.#fail(this.#request.signal.reason);
  }

  /** Rejects, unless the head is out. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#vacate();
    this.#reject?.(reason);
  }
}

/**
 * `encodeBody` is workerd's: a body with a Content-Encoding is encoded already. Other runtimes ignore it. Bun and Deno make a
 * Response faster when only headers are given.
 */
function initOf(status: number, lines: readonly string[]): ResponseInit & { readonly encodeBody?: "manual" } {
  const headers = headersOf(lines);
  if (!isBunOrDeno) return { status, headers, encodeBody: "manual" };
  return status === 200 ? { headers } : { status, headers };
}

/** `bytes` is newer than Node 20. */
function wholeOf(request: Request & { bytes?(): Promise<Uint8Array> }): Promise<Uint8Array> {
  if (request.bytes !== undefined) return request.bytes();
  return request.arrayBuffer().then((buffer) => new Uint8Array(buffer));
}

const readElsewhere = (): Error =>
  stateError(
    "BODY_READ",
    "the body was read already, by code that has the Request itself: give app.fetch a clone() of it",
  );

/** A body that cannot be read to its end. */
function broken(): never {
  throw new ClientGoneError();
}

/** Bun's URL of an HTTP/1.0 request without a host is just the path. */
const hostOf = (url: string): string | undefined => (url.startsWith("/") ? undefined : new URL(url).host);

/** The authority of a URL, as written, and the start of its path, or -1. */
function partsOf(url: string): { readonly authority: string; readonly slash: number } {
  if (url.startsWith("/")) return { authority: "", slash: 0 };
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  return { authority: url.slice(start, slash < 0 ? undefined : slash), slash };
}

/** Path and query of a URL, as written. */
function targetOf(url: string): string {
  const { slash } = partsOf(url);
  const hash = url.indexOf("#");
  return slash < 0 ? "/" : url.slice(slash, hash < 0 ? undefined : hash);
}
