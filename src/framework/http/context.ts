/**
 * Context: one request and the one response to it, as handlers and middleware see them.
 *
 *   engine ──▶ Exchange ──▶ Context ──▶ middleware ──▶ handler
 *                              │ the response is recorded here…
 *                              ▼ …and written once, when the chain has settled
 *
 * This file is the contract: types only, importable from anywhere in the framework.
 * The implementation is request-context.ts.
 *
 * Spec: spec/context.md, spec/middleware.md
 */
import type { BeanType } from "../beans/types.ts";
import type { Input, PartOf, Reply, ReplyOf, RouteMeta } from "../contract/contract.ts";
import type { BodyOf, BodyType } from "../contract/schema.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import type { Attribute } from "./attributes.ts";
import type { CookieOptions, CookiePlace } from "./cookies.ts";
import type { Log } from "../internal/logger.ts";
import type { UpgradeHandler } from "./upgrade.ts";
import type { SseEvent, SseStream } from "./sse.ts";

/**
 * Names and types of request attributes. Open: `declare module "framework" { interface ContextAttributes { user: User } }`.
 * A package keeps what is its own under `Attribute<User>("user")`, which carries its type, or under a symbol: declared as a
 * `unique symbol`, it is a key here like any name. No other package can read or overwrite either by accident.
 */
export interface ContextAttributes {
  /** Set by `RequestIdMiddleware`. */
  requestId: string;
  /** Set by `TracingMiddleware`: 32 hexadecimal digits. */
  traceId: string;
  /** Set by `TracingMiddleware`: 16 hexadecimal digits. */
  spanId: string;
  /** Set by `SecurityHeadersMiddleware` where its policy has `'nonce'`: for `<script nonce="…">`. */
  cspNonce: string;
  /** Set where a response breaks its contract and is checked. */
  contractIssues: readonly ProblemIssue[];
}

/** The type of the attribute named `K`; `unknown` when it is not declared. */
export type AttributeOf<K extends string | symbol> = K extends keyof ContextAttributes ? ContextAttributes[K] : unknown;

/** Where middleware tells what it knows of a request. */
export interface Annotations {
  /** Tells it, in a value that is data. Whoever listens takes what it needs at once: the value may change later. Never throws. */
  add(name: string, value: unknown): void;
}
/**
 * What a platform passes beside the request, under any name: `declare module "framework" { interface ContextPlatforms {
 * worker: readonly [env: Env, context: ExecutionContext] } }` types `ctx.platform`.
 */
// eslint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface -- it is there to be added to
export interface ContextPlatforms {}

/** The type of `ctx.platform`: what is declared, else anything. */
export type ContextPlatform = keyof ContextPlatforms extends never
  ? readonly unknown[]
  : ContextPlatforms[keyof ContextPlatforms];

/** How a request ended: what went over the wire, after error mapping. Times in milliseconds. */
export interface Completion {
  /** The status that was sent; 499 when the client left before the head was written. */
  readonly status: number;
  /** Body bytes sent. */
  readonly bytes: number;
  readonly durationMs: number;
  /** True when the client left, or the connection was cut, before the response was whole. */
  readonly aborted: boolean;
  /** What was thrown, if anything was (an HttpError too); undefined for the router's own 404 and 405. */
  readonly error: unknown;
  /** Flat list of the response's header names and values, as sent. */
  readonly headers: readonly string[];
  /** The response body; undefined when it was streamed or there was none. */
  readonly body: string | Uint8Array | undefined;
}

/** Gets each piece of a streamed response body as it is sent. What it throws is ignored: the response goes on. */
export type ChunkListener = (chunk: string | Uint8Array) => void;

/** Runs exactly once when the request is over. A throw is logged and has no other effect. */
export type CompletionListener = (completion: Completion, ctx: Context) => unknown;

/** What `ctx.send` takes besides bytes. */
export type StreamBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/** A response as it is recorded, before it is sent: what `app.onResponse` sees. */
export interface RecordedResponse {
  readonly status: number;
  /** Flat list of header names and values. */
  readonly headers: readonly string[];
  /** Text, bytes, or a stream; undefined where there is no content. */
  readonly body: string | Uint8Array | StreamBody | undefined;
}

/**
 * Sees a response just before its head goes out. What it returns is sent instead; nothing returned keeps it, and
 * `ctx.setHeader()` and `ctx.status()` still change it. Registered by `app.onResponse`, `group.onResponse` and
 * `ctx.onResponse`.
 */
export type ResponseHook = (
  ctx: Context,
  response: RecordedResponse,
) => RecordedResponse | undefined | void | Promise<RecordedResponse | undefined | void>;

/** That a response has been recorded: what `ctx.reply` returns, and every context is. */
export interface Responded {
  readonly responded: boolean;
  readonly committed: boolean;
}

/**
 * One request and its response. `Param` is the union of the route's path parameter names, `In` and `R` what the
 * route's contract makes of `input` and `reply`: `ContextOf<typeof contract>` has them.
 *
 * @example
 * ```ts
 * app.get("/users/{id}", ctx => ctx.json({ id: ctx.pathParam("id") }));
 * ```
 */
export interface Context<Param extends string = string, In = Input, R extends readonly unknown[] = Reply> {
  /** The request method as received, e.g. `GET`, `QUERY`. */
  readonly method: string;
  /** The path inside the context path, decoded once, without the query. */
  readonly path: string;
  /** The raw request target without its query, e.g. `/shop/users/J%C3%BCrgen`. */
  readonly url: string;
  /** The raw query of the target with its `?`, e.g. `?x=1&y=%20`; empty without one. `url + search` is the target. */
  readonly search: string;
  /** Context path + pattern of the matched route (`/users/{id}`); undefined when nothing matched. */
  readonly route: string | undefined;
  /** The status recorded so far; 200 until somebody sets it. */
  readonly statusCode: number;
  /** Has a response been recorded? */
  readonly responded: boolean;
  /**
   * Is the head on its way? Then status and headers can no longer change. While the middleware runs that is so after
   * `ctx.sse()` without arguments alone: every other response is recorded, and sent once the chain has settled.
   */
  readonly committed: boolean;
  /** The socket's address, never a header's; undefined where the platform does not tell. IPv4 is written as IPv4. */
  readonly peerAddress: string | undefined;
  /** The client's address: `peerAddress`, or what the proxies say that `trustProxy` names. Always an address. */
  readonly remoteAddress: string | undefined;
  /** `http` or `https`, as the client used it: by the socket, or by the proxies that `trustProxy` names. */
  readonly scheme: string;
  /**
   * Host and port that the client asked for, e.g. `shop.example:8443`: the request's own, or what the proxies say that
   * `trustProxy` names. Undefined when it is missing or no host. A client chooses it freely: compare it with a list of
   * your own before a link in a mail is made of it.
   */
  readonly host: string | undefined;
  /** HTTP version, e.g. `1.1`, `2`. */
  readonly httpVersion: string;
  /**
   * What the engine's platform gave: `[req, res]` on node:http, the rest arguments of `app.fetch`. Typed by
   * `ContextPlatforms`.
   */
  readonly platform: ContextPlatform;
  /**
   * Aborts when the client leaves or its response is cut, and for an event stream when the app stops or HEAD asked for it. Created on
   * first use.
   */
  readonly signal: AbortSignal;
  /**
   * This request as a web `Request`, for libraries that take one: `(ctx) => yoga.fetch(ctx.request)`. Made when it is first
   * read. Its URL has `scheme` and `host` (`localhost` where there is none), its signal is `signal`. Its body is read when
   * somebody reads it, up to `maxBodyBytes` and without its `Content-Encoding`, which with `Content-Length` is not among its
   * headers then; what `ctx.body()` has read already it has too. GET and HEAD have none.
   *
   * @throws HttpError (501) for a method that no `Request` has: TRACE, TRACK.
   */
  readonly request: Request;
  /** `performance.now()` when the request reached the framework. */
  readonly startedAt: number;
  /** The app's logger for this request: each line carries its request id and trace ids. Created on first use. */
  readonly log: Log;
  /**
   * Takes what middleware tells of this request to the tools that watch it, such as the dashboard; undefined where none
   * does, so that telling costs nothing: `ctx.annotations?.add("cache", { hit: true, ageS: 12 })`.
   */
  readonly annotations: Annotations | undefined;

  /**
   * What the route's contract declares of the request, as its schemas return it: validated before the handler runs. Parts
   * that are not declared are undefined.
   */
  readonly input: In;
  /** What the route's options say in `meta`; an empty object otherwise. */
  readonly meta: RouteMeta;

  /** The path parameters by name, percent-decoded once (null-prototype object): `({ params }) => params.id`. */
  readonly params: Readonly<Record<Param, string>>;
  /** A path parameter, percent-decoded once. @throws TypeError (`PARAM_UNKNOWN`) when the route has none of that name. */
  pathParam(name: Param): string;
  /** A path parameter as a safe integer. @throws BadRequestError (400) when it is not one. */
  pathParamAsInt(name: Param): number;
  /** The first value of a query parameter. */
  queryParam(name: string): string | undefined;
  /** All values of a query parameter, in order. */
  queryParams(name: string): readonly string[];
  /** All query parameters (null-prototype object). */
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** A request header; repeated fields are joined as RFC 9110 §5.3 says. */
  header(name: string): string | undefined;
  /**
   * Sets a response header, replacing what was there. `Location` and `Content-Location` are percent-encoded where needed.
   *
   * @throws TypeError on a bad name or value.
   */
  setHeader(name: string, value: string | number): this;
  /** Adds a response header beside what is there. @throws TypeError on a bad name or value. */
  appendHeader(name: string, value: string | number): this;
  /**
   * Adds the name of a request header to the response's `Vary` (RFC 9110 §12.5.5). It is in it however the response comes
   * about: a handler that sets a `Vary` of its own, a web `Response` and an error keep it.
   *
   * @throws TypeError when it is no header name.
   */
  vary(name: string): this;
  /** Every value of a request header, one entry per field line, in order. */
  headerValues(name: string): readonly string[];
  /** All request headers as received: name and value pairs, one per field line. */
  requestHeaders(): Iterable<readonly [string, string]>;
  /** A response header recorded so far; the values of several lines joined by a comma (RFC 9110 §5.3). */
  responseHeader(name: string): string | undefined;
  /** A request cookie. */
  cookie(name: string): string | undefined;
  /** All request cookies by name (null-prototype object); of several with one name the first (RFC 6265 §5.4). */
  readonly cookies: Readonly<Record<string, string>>;
  /**
   * Sets a cookie: for every path of this host, over TLS alone, out of reach of scripts and not sent with the requests of
   * other sites, as far as `options` do not say otherwise. Set twice for the same host and path, the later one counts.
   *
   * @throws TypeError (`COOKIE_INVALID`) on what a browser would drop: a name that is no token, a prefix whose promise is
   * not kept, `sameSite: "none"` without `secure`, more than 4,096 bytes.
   */
  setCookie(name: string, value: string, options?: CookieOptions): this;
  /** Makes the browser forget a cookie: `path`, `domain` and `partitioned` are those it was set with. */
  deleteCookie(name: string, place?: CookiePlace): this;

  /**
   * The JSON body, read once and cached. Like every other form it is decoded where it has a `Content-Encoding`.
   *
   * @throws 400 malformed or empty, 413 too large, also once decoded, 415 not JSON or in a coding that is not decoded.
   */
  body(): Promise<unknown>;
  /** The JSON body, validated by `type`. @throws also 422 with the issues when `type` rejects it. */
  body<S extends BodyType>(type: S): Promise<BodyOf<S>>;
  /** The body as UTF-8 text. @throws 400 on invalid UTF-8, 413 too large. */
  bodyAsString(): Promise<string>;
  bodyAsBytes(): Promise<Uint8Array>;
  /**
   * The fields of a form: all values of each, in order (null-prototype object).
   *
   * @throws 400 malformed, 413 too large, 415 not `application/x-www-form-urlencoded`.
   */
  bodyAsForm(): Promise<Readonly<Record<string, readonly string[]>>>;
  /** The body in pieces, read no faster than they are taken. @throws 415 in a coding that is not decoded. */
  bodyAsStream(): ReadableStream<Uint8Array>;
  /** The body if the app has read it: the JSON value, else the text, else the bytes; undefined otherwise. */
  bodyIfRead(): unknown;

  status(code: number): this;
  /**
   * Records a status with its JSON response, as the contract declares them; no content without a value.
   *
   * @throws as `status` and `json` do.
   */
  reply(...reply: R): Responded;
  /** Records a JSON response. @throws TypeError when `value` has no JSON form; Error when a response is recorded already. */
  json(value: unknown): this;
  text(value: string): this;
  html(value: string): this;
  /**
   * Records bytes or a stream. A stream is read once the handler and its middleware have settled: a handler that
   * waits for it to be consumed waits for ever. It is dismissed when an error takes its place or the client leaves.
   * A `Content-Length` set for a stream is held against what is sent; a response that breaks it is cut.
   *
   * @throws TypeError when it is neither, or is being read elsewhere.
   */
  send(body: Uint8Array | StreamBody): this;
  /**
   * Records bytes or a stream as a download: the client saves it under that name. As `send` otherwise.
   *
   * @param name of the file, without a folder; any characters
   */
  download(body: Uint8Array | StreamBody, name: string): this;
  /**
   * Records a redirect, 302 by default. 303 turns any method into GET. For a QUERY or POST that is to be sent again as it
   * is, take 307 or 308: 301 and 302 should keep QUERY's method too (RFC 10008), but clients make a GET of it.
   *
   * @param url percent-encoded where it needs it; what is encoded already stays as it is
   */
  redirect(url: string, status?: number): this;
  /** Opens a Server-Sent Events stream: the head goes out at once. */
  sse(): SseStream;
  /** Records an event stream: every event of `events` is sent once the chain has settled, then it ends. */
  sse(events: AsyncIterable<SseEvent | string>): this;

  /**
   * Records that the connection leaves HTTP: once the chain has settled, `accept` gets it and sends the 101. For libraries
   * that speak another protocol, in the handler of `app.ws`; `framework/websocket` is one.
   *
   * @throws Error when a response is recorded already.
   */
  upgrade(accept: UpgradeHandler): this;

  /** What is kept on the request under that name or symbol. */
  attribute<K extends string | symbol>(name: K): AttributeOf<K> | undefined;
  /** Keeps a value on the request under a name or a symbol. */
  attribute<K extends string | symbol>(name: K, value: AttributeOf<K>): this;
  /** What is kept under that key, by its identity. */
  attribute<T>(key: Attribute<T>): T | undefined;
  /** Keeps a value under a key. */
  attribute<T>(key: Attribute<T>, value: NoInfer<T>): this;
  /** The bean of that type. @throws when no container is attached or the type is not bound. */
  get<T extends object>(type: BeanType<T>): T;
  /** Names the route of a request that a middleware handles itself (health): a pattern inside the context path. */
  setRoute(pattern: string): void;
  /**
   * Registers a hook for this request's response: how a middleware acts on the way out, on whatever the response has come
   * to be, an error too. Those hooks run behind `group.onResponse` and `app.onResponse`, the one registered last first: the
   * innermost middleware sees the response before those around it.
   *
   * @throws Error once the response is on its way
   */
  onResponse(hook: ResponseHook): this;
  /**
   * Registers a listener for the pieces of a body that is sent in pieces: a stream, events. Register it before the head is
   * out. A body that is sent whole is in `Completion.body`, that of most web `Response`s too.
   */
  onChunk(listener: ChunkListener): this;
  /** Registers a listener for the end of the request; registered late, it runs at once. */
  onComplete(listener: CompletionListener): this;
}

/**
 * The context of a handler with that contract: the type of a bean's method. The input is written out here: as an alias of
 * its own it would be compared by its argument, the contract, and not by what it holds; and members cost an editor less than
 * a mapped type.
 */
export type ContextOf<C, Param extends string = string> = Context<
  Param,
  unknown extends C
    ? Input
    : {
        readonly params: PartOf<C["params" & keyof C]>;
        readonly query: PartOf<C["query" & keyof C]>;
        readonly headers: PartOf<C["headers" & keyof C]>;
        readonly cookies: PartOf<C["cookies" & keyof C]>;
        readonly body: PartOf<C["body" & keyof C]>;
      },
  ReplyOf<C>
>;
