/**
 * Context: one request and its response, as handlers and middleware see them.
 *
 *   engine ──▶ Exchange ──▶ Context ──▶ middleware ──▶ handler
 *                              │ the response is recorded here …
 *                              ▼ … and written once, when the chain has settled
 *
 * This file holds types only, importable from anywhere in the framework. The implementation is request-context.ts.
 *
 * Spec: spec/context.md, spec/middleware.md
 */
import type { BeanType } from "../beans/types.ts";
import type { Input, PartOf, Reply, ReplyOf, RouteMeta } from "../contract/contract.ts";
import type { AcceptedBy, Sendable } from "../contract/declared-body.ts";
import type { BodyOf, BodyType } from "../contract/schema.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import type { Attribute } from "./attributes.ts";
import type { CookieOptions, CookiePlace } from "./cookies.ts";
import type { Log } from "../internal/logger.ts";
import type { UpgradeHandler } from "./upgrade.ts";
import type { EventOf, SseStream } from "./sse.ts";

/**
 * Names and types of request attributes. Extend it:
 * `declare module "framework" { interface ContextAttributes { user: User } }`. A package keeps its own values under
 * `Attribute<User>("user")`, which carries its type, or under a symbol. A symbol declared as a `unique symbol` is a key here
 * like any name. No other package can read or overwrite either by accident.
 */
export interface ContextAttributes {
  /** Set by `RequestIdMiddleware`. */
  requestId: string;
  /** Set by `TracingMiddleware`: 32 hexadecimal digits. */
  traceId: string;
  /** Set by `TracingMiddleware`: 16 hexadecimal digits. */
  spanId: string;
  /** Set by `SecurityHeadersMiddleware` when its policy has `'nonce'`, for `<script nonce="…">`. */
  cspNonce: string;
  /** Set when a response was checked and breaks its contract. */
  contractIssues: readonly ProblemIssue[];
}

/** The type of the attribute named `K`, or `unknown` when it is not declared. */
export type AttributeOf<K extends string | symbol> = K extends keyof ContextAttributes ? ContextAttributes[K] : unknown;

/** Where middleware reports facts about a request. */
export interface Annotations {
  /**
   * Reports a value, which is plain data. A listener copies what it needs immediately, since the value may change later. Never
   * throws.
   */
  add(name: string, value: unknown): void;
}
/**
 * Values that a platform passes with the request, under any name:
 * `declare module "framework" { interface ContextPlatforms { worker: readonly [env: Env, context: ExecutionContext] } }` types
 * `ctx.platform`.
 */
// eslint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface -- it is there to be added to
export interface ContextPlatforms {}

/** The type of `ctx.platform`, if declared. Otherwise any value. */
export type ContextPlatform = keyof ContextPlatforms extends never
  ? readonly unknown[]
  : ContextPlatforms[keyof ContextPlatforms];

/** How a request ended: the response as sent, after error mapping. Times in milliseconds. */
export interface Completion {
  /** The status that was sent, or 499 when the client left before the head was written. */
  readonly status: number;
  /** Body bytes sent. */
  readonly bytes: number;
  readonly durationMs: number;
  /** True when the client left, or the connection was cut, before the response was whole. */
  readonly aborted: boolean;
  /** The thrown error, if any (an HttpError too). Undefined for the router's own 404 and 405. */
  readonly error: unknown;
  /** Flat list of the response's header names and values, as sent. */
  readonly headers: readonly string[];
  /** The response body, or undefined when it was streamed or there was none. */
  readonly body: string | Uint8Array | undefined;
}

/** Gets each piece of a streamed response body as it is sent. Its errors are ignored and the response continues. */
export type ChunkListener = (chunk: string | Uint8Array) => void;

/** Runs exactly once when the request is over. A throw is logged and has no other effect. */
export type CompletionListener = (completion: Completion, ctx: Context) => unknown;

/** Types that `ctx.send` accepts in addition to bytes. */
export type StreamBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/** A recorded response before it is sent, as `app.onResponse` sees it. */
export interface RecordedResponse {
  readonly status: number;
  /** Flat list of header names and values. */
  readonly headers: readonly string[];
  /** Text, bytes, or a stream, or undefined when there is no content. */
  readonly body: string | Uint8Array | StreamBody | undefined;
}

/**
 * Sees a response just before its head is sent. A returned response is sent instead. Without one the response stays, and
 * `ctx.setHeader()` and `ctx.status()` can still change it. Registered by `app.onResponse`, `group.onResponse` and
 * `ctx.onResponse`.
 */
export type ResponseHook = (
  ctx: Context,
  response: RecordedResponse,
) => RecordedResponse | undefined | void | Promise<RecordedResponse | undefined | void>;

/** Shows that a response has been recorded. `ctx.reply` returns it, and every context is one. */
export interface Responded {
  readonly responded: boolean;
  readonly committed: boolean;
}

/**
 * One request and its response. `Param` is the union of the route's path parameter names. `In` and `R` are the `input` and
 * `reply` types of the route's contract. `ContextOf<typeof contract>` has them all.
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
  /** The raw query of the target with its `?`, e.g. `?x=1&y=%20`, or empty. `url + search` is the target. */
  readonly search: string;
  /** Context path + pattern of the matched route (`/users/{id}`), or undefined when nothing matched. */
  readonly route: string | undefined;
  /** The status recorded so far, 200 by default. */
  readonly statusCode: number;
  /** Has a response been recorded? */
  readonly responded: boolean;
  /**
   * Is the head on its way? Then status and headers can no longer change. While middleware runs, this is true only after
   * `ctx.sse()` without arguments. Every other response is sent after the chain has settled.
   */
  readonly committed: boolean;
  /** The socket's address, never a header's. Undefined when the platform does not provide it. IPv4 is written as IPv4. */
  readonly peerAddress: string | undefined;
  /** The client's address: `peerAddress`, or the one reported by the proxies of `trustProxy`. Always an address. */
  readonly remoteAddress: string | undefined;
  /** `http` or `https`, as the client used it, from the socket or from the proxies of `trustProxy`. */
  readonly scheme: string;
  /**
   * Host and port that the client asked for, e.g. `shop.example:8443`, from the request or from the proxies of `trustProxy`.
   * Undefined when missing or not a host. A client chooses it freely, so compare it with your own list before you put it into a
   * link in a mail.
   */
  readonly host: string | undefined;
  /** HTTP version, e.g. `1.1`, `2`. */
  readonly httpVersion: string;
  /** The platform's own arguments: `[req, res]` on node:http, the rest arguments of `app.fetch`. Typed by `ContextPlatforms`. */
  readonly platform: ContextPlatform;
  /**
   * Aborts when the client leaves or its response is cut. An event stream's signal also aborts when the app stops or for HEAD.
   * Created on first use.
   */
  readonly signal: AbortSignal;
  /**
   * This request as a web `Request`, for libraries that take one: `(ctx) => yoga.fetch(ctx.request)`. Made when it is first
   * read. Its URL has `scheme` and `host` (`localhost` by default), and its signal is `signal`. Its body is read on demand, up
   * to `maxBodyBytes` and decoded, so its headers then omit `Content-Encoding` and `Content-Length`. It also has a body that
   * `ctx.body()` has already read. GET and HEAD have none.
   *
   * @throws HttpError (501) for a method that no `Request` can have: TRACE, TRACK.
   */
  readonly request: Request;
  /** `performance.now()` when the request reached the framework. */
  readonly startedAt: number;
  /** The app's logger for this request: each line carries its request id and trace ids. Created on first use. */
  readonly log: Log;
  /**
   * Passes facts from middleware to the tools that watch this request, such as the dashboard. Undefined when no tool watches,
   * so that it costs nothing: `ctx.annotations?.add("cache", { hit: true, ageS: 12 })`.
   */
  readonly annotations: Annotations | undefined;

  /**
   * The request parts that the route's contract declares, as its schemas return them. They are validated before the handler
   * runs. Undeclared parts are undefined.
   */
  readonly input: In;
  /** The route option `meta`, or an empty object. */
  readonly meta: RouteMeta;
  /** Is the route deprecated, by its option or that of its group? */
  readonly isDeprecated: boolean;
  /** The version of the route that the request gets (`apiVersions`), or undefined when the route has none. */
  readonly apiVersion: string | undefined;

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
  /** A request header. Repeated fields are joined as RFC 9110 §5.3 says. */
  header(name: string): string | undefined;
  /**
   * Sets a response header, replacing what was there. `Location` and `Content-Location` are percent-encoded where needed.
   *
   * @throws TypeError on a bad name or value.
   */
  setHeader(name: string, value: string | number): this;
  /** Adds a response header and keeps the existing ones. @throws TypeError on a bad name or value. */
  appendHeader(name: string, value: string | number): this;
  /**
   * Adds a request header's name to the response's `Vary` (RFC 9110 §12.5.5). It stays there for every kind of response: a
   * handler that sets `Vary`, a web `Response` and an error keep it.
   *
   * @throws TypeError when it is not a header name.
   */
  vary(name: string): this;
  /** Every value of a request header, one entry per field line, in order. */
  headerValues(name: string): readonly string[];
  /**
   * Changes a request header for `header`, `headerValues`, `requestHeaders` and `request` of inner code. Undefined removes it.
   * Cookies, the body, the host and the client's address stay those of the client.
   *
   * @throws TypeError on a bad name or value.
   */
  overrideHeader(name: string, value: string | undefined): this;
  /** All request headers as received: name and value pairs, one per field line. */
  requestHeaders(): Iterable<readonly [string, string]>;
  /** A response header recorded so far. Several lines are joined by a comma (RFC 9110 §5.3). */
  responseHeader(name: string): string | undefined;
  /** A request cookie. */
  cookie(name: string): string | undefined;
  /** All request cookies by name (null-prototype object). The first one counts when a name repeats (RFC 6265 §5.4). */
  readonly cookies: Readonly<Record<string, string>>;
  /**
   * Sets a cookie. By default it is valid for every path of this host, sent over TLS alone, unreadable by scripts and not sent
   * with cross-site requests. A second call for the same host and path replaces the first.
   *
   * @throws TypeError (`COOKIE_INVALID`) on a cookie that a browser would drop: an invalid name, a prefix without its required
   * attributes, `sameSite: "none"` without `secure`, more than 4,096 bytes.
   */
  setCookie(name: string, value: string, options?: CookieOptions): this;
  /** Makes the browser forget a cookie. `path`, `domain` and `partitioned` must equal those it was set with. */
  deleteCookie(name: string, place?: CookiePlace): this;

  /**
   * The JSON body, read once and cached. Like every other form it is decoded if it has a `Content-Encoding`.
   *
   * @throws 400 malformed or empty, 413 too large, also after decoding, 415 not JSON or in an unsupported coding.
   */
  body(): Promise<unknown>;
  /** The JSON body, validated by `type`. @throws also 422 with the issues when `type` rejects it. */
  body<S extends BodyType>(type: S): Promise<BodyOf<S>>;
  /** The body as UTF-8 text. @throws 400 on invalid UTF-8, 413 too large. */
  bodyAsString(): Promise<string>;
  /**
   * The bytes of the body.
   *
   * @param limits.maxBytes the limit of this body in place of `maxBodyBytes`, if nothing has read it yet
   * @throws 413 too large
   */
  bodyAsBytes(limits?: { readonly maxBytes?: number | undefined }): Promise<Uint8Array>;
  /**
   * The fields of a form: all values of each, in order (null-prototype object).
   *
   * @throws 400 malformed, 413 too large, 415 not `application/x-www-form-urlencoded`.
   */
  bodyAsForm(): Promise<Readonly<Record<string, readonly string[]>>>;
  /** The body in pieces, read no faster than they are consumed. @throws 415 in an unsupported coding. */
  bodyAsStream(): ReadableStream<Uint8Array>;
  /** The body if the app has read it: the JSON value, else the text, else the bytes. Undefined otherwise. */
  bodyIfRead(): unknown;

  /**
   * Tells the client which resources it will need, so that it fetches them while the response is still made: 103 with `Link`,
   * over HTTP/1.1 and HTTP/2. Other engines and HTTP/1.0 send nothing.
   *
   * @param links e.g. `</style.css>; rel=preload; as=style`
   * @throws TypeError when one is no link, Error after the response is on its way.
   */
  earlyHints(links: string | readonly string[]): this;
  status(code: number): this;
  /**
   * Records a status with its JSON response, as the contract declares them. Without a value there is no content.
   *
   * @throws as `status` and `json` do.
   */
  reply(...reply: R): Responded;
  /** Records a JSON response. @throws TypeError when `value` has no JSON form, Error when a response is recorded already. */
  json(value: unknown): this;
  text(value: string): this;
  html(value: string): this;
  /**
   * Records bytes or a stream. A stream is read after the handler and its middleware have settled, so a handler that waits for
   * it to be consumed waits for ever. It is dismissed when an error replaces it or the client leaves. A `Content-Length` set
   * for a stream is checked against the bytes sent, and a response that breaks it is cut.
   *
   * @throws TypeError when it is not bytes or a stream, or is being read elsewhere.
   */
  send(body: Uint8Array | StreamBody): this;
  /**
   * Records bytes or a stream as a download that the client saves under that name. Otherwise like `send`.
   *
   * @param name of the file, without a folder. Any characters are allowed
   */
  download(body: Uint8Array | StreamBody, name: string): this;
  /**
   * Records a redirect, 302 by default. 303 turns any method into GET. Use 307 or 308 to repeat a QUERY or POST unchanged. 301
   * and 302 should keep QUERY's method too (RFC 10008), but clients turn it into GET.
   *
   * @param url percent-encoded if needed. Parts that are already encoded stay as they are
   */
  redirect(url: string, status?: number): this;
  /** Opens a Server-Sent Events stream and sends its head immediately. */
  sse(): SseStream<EventOf<R>>;
  /** Records an event stream. Every event of `events` is sent after the chain has settled, then it ends. */
  sse(events: AsyncIterable<EventOf<R>>): this;

  /**
   * Records that the connection leaves HTTP. After the chain has settled, `accept` gets it and sends the 101. For libraries
   * that speak another protocol, in the handler of `app.ws`. `framework/websocket` is one.
   *
   * @throws Error when a response is recorded already.
   */
  upgrade(accept: UpgradeHandler): this;

  /** The request attribute under that name or symbol. */
  attribute<K extends string | symbol>(name: K): AttributeOf<K> | undefined;
  /** Sets a request attribute under a name or a symbol. */
  attribute<K extends string | symbol>(name: K, value: AttributeOf<K>): this;
  /** The attribute under that key, found by identity. */
  attribute<T>(key: Attribute<T>): T | undefined;
  /** Sets the attribute under a key. */
  attribute<T>(key: Attribute<T>, value: NoInfer<T>): this;
  /** The bean of that type. @throws when no container is attached or the type is not bound. */
  get<T extends object>(type: BeanType<T>): T;
  /** Names the route of a request that a middleware handles itself (health). The name is a pattern inside the context path. */
  setRoute(pattern: string): void;
  /**
   * Registers a hook for this request's response. This is how a middleware acts on the way out, on any response, also an error.
   * Those hooks run after `group.onResponse` and `app.onResponse`, the last registered first, so the innermost middleware sees
   * the response before the outer ones.
   *
   * @throws Error after the response is on its way
   */
  onResponse(hook: ResponseHook): this;
  /**
   * Lets this request run to its end when the client leaves: its response is recorded and seen by the response hooks, and
   * `signal` does not abort for that. For a middleware that keeps the outcome for a repeated request. Call it before `next()`.
   */
  outliveClient(): this;
  /**
   * Registers a listener for the pieces of a streamed body: a stream, events. Register it before the head is sent. A body that
   * is sent whole is in `Completion.body`, also that of most web `Response`s.
   */
  onChunk(listener: ChunkListener): this;
  /** Registers a listener for the end of the request. A late one runs immediately. */
  onComplete(listener: CompletionListener): this;
}

/**
 * The context of a handler with that contract, as the type of a bean's method. The input is written out here, because a
 * separate alias would be compared by its argument, the contract, and not by its contents. Members also cost an editor less
 * than a mapped type.
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
        readonly lastEventId: string | undefined;
      },
  ReplyOf<C>
>;

/**
 * The context of a WebSocket route with declared messages, for the method of a bean that handles it:
 * `open(ctx: WebSocketContext<typeof chat, "room">) { return webSocket({ … })(ctx); }`.
 */
export type WebSocketContext<C, Param extends string = string> = ContextOf<C, Param> & {
  /** Never set. It carries the types of the messages. */
  readonly "~messages"?: {
    readonly incoming: C extends { readonly incoming: infer In } ? BodyOf<In> : string | Uint8Array;
    readonly outgoing: C extends { readonly outgoing: infer Out } ? Sendable<AcceptedBy<Out>> : string | Uint8Array;
  };
};
