/**
 * RequestContext: one request and its response. The request is read on first use. The response is recorded, then sent once,
 * then over. One phase holds the state.
 *
 *             ┌──── discard ────┐
 *             ▼                 │
 *   ──▶ RUNNING ── record ──▶ RECORDED ── settle ──▶ READY ── send ──▶ COMMITTED ──┐
 *          │ │ └─────────── settle ───────────────────▲ │                  │       │
 *          │ │                              record,   │ │ fail, discard    │ the request
 *          │ └── fail ──▶ FAILED ───────────send──────┘ ▼                  │ breaks off
 *          │                ▲ └─────────────────────────┘                  ▼       │
 *          └── sse() ──▶ EVENTS (the chain still runs)                   BROKEN    │
 *                           └──────────────────────────────────────────────┴───── complete ──▶ FINISHED
 *   gone, before the head went out: any ──▶ LEFT
 *
 * RUNNING and RECORDED: the chain runs and may still change the recorded response. FAILED: an error is being mapped, and
 * nothing is recorded for it yet. READY: the response is decided and the response hooks have it. EVENTS, COMMITTED: the head is
 * out. BROKEN: the request broke off and has had its error response, so the result of its chain is ignored. LEFT, FINISHED:
 * over, the listeners have run. A call that a phase does not allow throws or does nothing, as each method says.
 *
 * Spec: spec/context.md, spec/middleware.md
 */
import type { BeanType } from "../beans/types.ts";
import { type Input, noInput, type Reply, type RouteMeta } from "../contract/contract.ts";
import type { BodyOf, BodyType } from "../contract/schema.ts";
import { type AsyncScope, currentScope, runIn } from "../internal/async-scope.ts";
import { BadRequestError, type HttpError, noBeans } from "../internal/errors.ts";
import { CLIENT_CLOSED_REQUEST, isWithoutContent, SWITCHING_PROTOCOLS } from "../internal/http-rules.ts";
import { usageError } from "../internal/usage-errors.ts";
import { readablePath, shownPath, valueOf } from "../routing/path.ts";
import { joinPatterns } from "../routing/pattern.ts";
import { annotationsOf } from "./annotations.ts";
import { type Attribute, type AttributeEntry, attributeOf } from "./attributes.ts";
import { RequestBody } from "./body.ts";
import { completionOf, Listening, tell, tellAll } from "./completion.ts";
import { attachment } from "./content-disposition.ts";
import type {
  Annotations,
  AttributeOf,
  ChunkListener,
  Completion,
  CompletionListener,
  Context,
  ContextPlatform,
  RecordedResponse,
  ResponseHook,
  StreamBody,
} from "./context.ts";
import { cookieLine, type CookieOptions, type CookiePlace, deletedCookieLine, putCookie } from "./cookies.ts";
import { declaredJson, declaredOutgoing, declaredType, eventsOf, reshaped, reshapedWhole } from "./declared-values.ts";
import type { Delivery, Exchange, GoneListener } from "./exchange.ts";
import { Client } from "./forwarded.ts";
import {
  checkedLinks,
  checkField,
  cookieOf,
  cookiesOf,
  fieldOf,
  fieldsOf,
  isContentLength,
  keepVary,
  replaceField,
  withoutFields,
} from "./headers.ts";
import { leaveHttp } from "./leave-http.ts";
import {
  type Body,
  BYTES_TYPE,
  checkedHead,
  checkedStatus,
  checkedText,
  isStream,
  JSON_TYPE,
  type Kind,
  kindOf,
  lengthOf,
  outgoing,
  rejection,
  respondedAlready,
  respondedTwice,
  streamIn,
  TEXT_TYPE,
  unread,
} from "./outgoing.ts";
import { RequestLog } from "./request-log.ts";
import { endWithApp, Sending } from "./sending.ts";
import type { ContextServices, RouteTarget } from "./services.ts";
import type { PrepareEvent, SseEvent, SseStream } from "./sse.ts";
import { dismiss, failureOf, hold, observe, RecordedEvents } from "./streaming.ts";
import { parseQuery, pathOf, searchOf } from "./target.ts";
import type { UpgradeHandler } from "./upgrade.ts";
import { webRequest } from "./web-request.ts";
import { type ReadWhole, recordResponse } from "./web-response.ts";

const RUNNING = 0;
const RECORDED = 1;
const FAILED = 2;
const READY = 3;
const LEFT = 4;
const EVENTS = 5;
const COMMITTED = 6;
const BROKEN = 7;
const FINISHED = 8;

const noValues: readonly string[] = [];

/** The declared responses of a route, and that of one status. */
type Declared = NonNullable<RouteTarget["declared"]>;
type Declaration = NonNullable<ReturnType<Declared["of"]>>;

/** The reaction to an error: map it, cut the response that is under way, or only report it. */
export type Failure = "map" | "cut" | "report";

/** One request and its response. */
export class RequestContext implements Context, Delivery, GoneListener {
  readonly exchange: Exchange;
  readonly services: ContextServices;
  readonly method: string;
  readonly startedAt: number = performance.now();
  readonly routed: string;
  /** Is the path free of escapes and backslashes? Then its values equal the sent ones. */
  readonly isPlain: boolean;
  /** Facts about its route, set by routing. */
  target: RouteTarget;
  /** The raw values of the path's parameters, in the order of `target.names`. */
  paramValues: readonly string[] = noValues;
  /** Set by the route's contract. */
  input: Input = noInput;
  /** The async context of its handler, or of the innermost middleware reached. */
  scope: AsyncScope | undefined = undefined;
  /** The middleware that ended the chain without a response. */
  silentMiddleware: object | undefined = undefined;

  // The request, as far as it has been read.
  #route: string | undefined;
  #readable: string | undefined;
  #params: Record<string, string> | undefined;
  #query: Readonly<Record<string, readonly string[]>> | undefined;
  #requestBody: RequestBody | undefined;
  #client: Client | undefined;
  #request: Request | undefined;
  #log: RequestLog | undefined;
  #attributes: AttributeEntry | undefined;

  // The response, as far as it is recorded.
  #phase = RUNNING;
  #status = 200;
  #head: string[] = [];
  #kind: Kind = "none";
  #body: Body = undefined;
  /** Names that `Vary` keeps in the end, even if it is set again. */
  #vary: string | undefined;
  /** Has the app set a Content-Length? */
  #hasLength = false;
  /** Reads the body of a web Response whole, before the hooks see it. */
  #readWhole: ReadWhole | undefined;
  /** The declaration that the recorded body and its Content-Type fit. */
  #declared: Declaration | undefined;
  /** Takes the connection over. */
  #upgrade: UpgradeHandler | undefined;
  /** Hooks that middleware has registered for this request, the last one first. */
  #ownHooks: readonly ResponseHook[] | undefined;
  #areHooksTaken = false;

  // Its end.
  #error: unknown = undefined;
  #lastListener: Listening | undefined;
  #onChunk: ChunkListener | undefined;
  #completion: Completion | undefined;
  #abort: AbortController | undefined;
  #isArmed = false;
  /** Request headers that middleware has changed, by lower-case name. */
  #changed: Map<string, string | undefined> | undefined;
  /** Does it run to its end without a client? */
  #outlives = false;
  #onBroken: ((error: HttpError) => void) | undefined;
  #sending: Sending | undefined;
  #sent = 0;
  #isAborted = false;

  constructor(exchange: Exchange, services: ContextServices, target: RouteTarget, routed: string, isPlain: boolean) {
    this.exchange = exchange;
    this.services = services;
    this.method = exchange.method;
    this.target = target;
    this.routed = routed;
    this.isPlain = isPlain;
  }

  // ── The request ──

  get path(): string {
    return this.isPlain ? this.routed : shownPath(this.routed);
  }

  /** The path that a middleware's prefix is compared with, as a handler may read it. */
  get readablePath(): string {
    const { routed } = this;
    return (this.#readable ??= this.isPlain && routed.indexOf("//") < 0 ? routed : readablePath(routed));
  }

  get url(): string {
    return pathOf(this.exchange.target);
  }

  get search(): string {
    return searchOf(this.exchange.target);
  }

  get route(): string | undefined {
    return this.#route ?? this.target.route;
  }

  setRoute(pattern: string): void {
    this.#route = joinPatterns(this.services.contextPath, pattern);
  }

  get meta(): RouteMeta {
    return this.target.meta;
  }

  get isDeprecated(): boolean {
    return this.target.isDeprecated;
  }

  get apiVersion(): string | undefined {
    return this.target.apiVersion;
  }

  get httpVersion(): string {
    return this.exchange.httpVersion;
  }

  get platform(): ContextPlatform {
    return this.exchange.platform;
  }

  /** The client's data. */
  get #from(): Client {
    return (this.#client ??= new Client(this.exchange, this.services.trustProxy));
  }

  get peerAddress(): string | undefined {
    return this.#from.peerAddress;
  }

  get remoteAddress(): string | undefined {
    return this.#from.address;
  }

  get scheme(): string {
    return this.#from.scheme;
  }

  get host(): string | undefined {
    return this.#from.host;
  }

  get params(): Readonly<Record<string, string>> {
    if (this.#params !== undefined) return this.#params;
    const params: Record<string, string> = Object.create(null);
    const { names } = this.target;
    for (let at = 0; at < names.length; at += 1) {
      const raw = this.paramValues[at] ?? "";
      params[names[at] ?? ""] = this.isPlain ? raw : valueOf(raw);
    }
    return (this.#params = params);
  }

  /** The earlier name of `params`. */
  get pathParams(): never {
    throw usageError("RENAMED", "ctx.pathParams is ctx.params now");
  }

  pathParam(name: string): string {
    const { names } = this.target;
    const raw = this.paramValues[names.indexOf(name)];
    if (raw !== undefined) return this.isPlain ? raw : valueOf(raw);
    const known = names.length === 0 ? "none" : names.map((one) => `{${one}}`).join(", ");
    throw usageError("PARAM_UNKNOWN", `this route has no path parameter {${name}}: it has ${known}`);
  }

  pathParamAsInt(name: string): number {
    const text = this.pathParam(name);
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) throw new BadRequestError(`{${name}} is a whole number`);
    return value;
  }

  get query(): Readonly<Record<string, readonly string[]>> {
    return (this.#query ??= parseQuery(this.exchange.target, this.services.queryPairs));
  }

  queryParam(name: string): string | undefined {
    return this.query[name]?.[0];
  }

  queryParams(name: string): readonly string[] {
    return this.query[name] ?? noValues;
  }

  header(name: string): string | undefined;
  header(name: string, value?: unknown): string | undefined {
    if (value !== undefined) throw usageError("RENAMED", "ctx.header(name, value) is ctx.setHeader(name, value) now");
    const lower = name.toLowerCase();
    return this.#changed?.has(lower) === true ? this.#changed.get(lower) : this.exchange.header(lower);
  }

  headerValues(name: string): readonly string[] {
    const wanted = name.toLowerCase();
    const values: string[] = [];
    for (const [key, value] of this.requestHeaders()) if (key.toLowerCase() === wanted) values.push(value);
    return values;
  }

  requestHeaders(): Iterable<readonly [string, string]> {
    const changed = this.#changed;
    if (changed === undefined) return this.exchange.headers();
    const kept = [...this.exchange.headers()].filter(([name]) => !changed.has(name.toLowerCase()));
    return [...kept, ...[...changed].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))];
  }

  cookie(name: string): string | undefined {
    return cookieOf(this.exchange.header("cookie"), name);
  }

  get cookies(): Readonly<Record<string, string>> {
    return cookiesOf(this.exchange.header("cookie"));
  }

  /** Its body, unread when this is first called. */
  get requestBody(): RequestBody {
    return this.#bodyWithin(this.target.bodyLimit);
  }

  #bodyWithin(limit: number): RequestBody {
    return (this.#requestBody ??= this.makeBody(limit));
  }

  protected makeBody(limit: number): RequestBody {
    return new RequestBody(this.exchange, this.services, limit);
  }

  body<S extends BodyType>(type?: S): Promise<BodyOf<S>> {
    const body = this.requestBody;
    return (type === undefined ? body.json() : body.jsonOf(type)) as Promise<BodyOf<S>>;
  }

  overrideHeader(name: string, value: string | undefined): this {
    if (value !== undefined) checkField(name, value);
    (this.#changed ??= new Map()).set(name.toLowerCase(), value);
    return this;
  }

  bodyAsString(): Promise<string> {
    return this.requestBody.text();
  }

  bodyAsBytes({
    maxBytes = this.target.bodyLimit,
  }: { readonly maxBytes?: number | undefined } = {}): Promise<Uint8Array> {
    return this.#bodyWithin(maxBytes).bytes();
  }

  bodyAsForm(): Promise<Readonly<Record<string, readonly string[]>>> {
    return this.requestBody.form();
  }

  bodyAsStream(): ReadableStream<Uint8Array> {
    return this.requestBody.stream();
  }

  bodyIfRead(): unknown {
    return this.#requestBody?.read;
  }

  get request(): Request {
    return (this.#request ??= webRequest(this));
  }

  get log(): RequestLog {
    return (this.#log ??= new RequestLog(this, this.services));
  }

  get annotations(): Annotations | undefined {
    return annotationsOf(this, this.services.onAnnotation);
  }

  attribute<K extends string | symbol>(name: K): AttributeOf<K> | undefined;
  attribute<K extends string | symbol>(name: K, value: AttributeOf<K>): this;
  attribute<T>(key: Attribute<T>): T | undefined;
  attribute<T>(key: Attribute<T>, value: NoInfer<T>): this;
  attribute(key: string | symbol | Attribute<unknown>, value?: unknown): unknown {
    const known = attributeOf(this.#attributes, key);
    if (arguments.length === 1) return known?.value;
    if (known === undefined) this.#attributes = { key, value, earlier: this.#attributes };
    else known.value = value;
    return this;
  }

  get<T extends object>(type: BeanType<T>): T {
    if (this.services.beans === undefined) throw noBeans();
    return this.services.beans.get(type);
  }

  /** Runs work in the async context of the handler. @throws the work's errors. */
  inScope<R>(work: () => R): R {
    return this.scope === undefined ? work() : runIn(this.scope, work);
  }

  // ── The response: recorded ──

  get statusCode(): number {
    return this.#status;
  }

  get responded(): boolean {
    return this.#phase !== RUNNING && this.#phase !== FAILED;
  }

  get committed(): boolean {
    return this.#phase >= EVENTS;
  }

  earlyHints(links: string | readonly string[]): this {
    const checked = checkedLinks(links);
    this.#checkOpen();
    if (this.exchange.httpVersion !== "1.0" && !this.exchange.gone) this.exchange.earlyHints?.(checked);
    return this;
  }

  status(code: number): this {
    const checked = checkedStatus(code);
    this.#checkOpen();
    this.#status = checked;
    return this;
  }

  setHeader(name: string, value: string | number): this {
    replaceField(this.#head, name, this.#checkField(name, value));
    return this;
  }

  appendHeader(name: string, value: string | number): this {
    this.#head.push(name, this.#checkField(name, value));
    return this;
  }

  vary(name: string): this {
    checkField(name, "");
    this.#checkOpen();
    this.#vary = this.#vary === undefined || this.#vary === name ? name : `${this.#vary}, ${name}`;
    keepVary(this.#head, name);
    return this;
  }

  responseHeader(name: string): string | undefined {
    return fieldsOf(this.#head, name);
  }

  setCookie(name: string, value: string, options?: CookieOptions): this {
    return this.#putCookie(cookieLine(name, value, options));
  }

  deleteCookie(name: string, place?: CookiePlace): this {
    return this.#putCookie(deletedCookieLine(name, place));
  }

  /** Adds a cookie's line, and replaces an earlier one for the same cookie. */
  #putCookie(line: string): this {
    this.#checkOpen();
    putCookie(this.#head, line);
    return this;
  }

  reply(...[status, value]: Reply): this {
    this.#checkUnrecorded();
    this.status(status);
    if (value === undefined) return this.recordEmpty();
    this.recordValue(value);
    return this;
  }

  json(value: unknown): this {
    return this.#record("text", JSON_TYPE, declaredJson(value, this, this.#declaration));
  }

  text(value: string): this {
    return this.#record("text", TEXT_TYPE, checkedText("ctx.text()", value));
  }

  html(value: string): this {
    return this.#record("text", "text/html; charset=utf-8", checkedText("ctx.html()", value));
  }

  send(body: Uint8Array | StreamBody): this {
    if (body instanceof Uint8Array) return this.#record("bytes", BYTES_TYPE, body);
    if (!isStream(body)) throw rejection("ctx.send()", body, "bytes or a stream");
    return this.#record("stream", BYTES_TYPE, unread(body));
  }

  download(body: Uint8Array | StreamBody, name: string): this {
    const disposition = attachment(name);
    return this.send(body).setHeader("Content-Disposition", disposition);
  }

  redirect(url: string, status = 302): this {
    if (![301, 302, 303, 307, 308].includes(status))
      throw new RangeError(`${status} is no redirect: use 301, 302, 303, 307 or 308`);
    this.#checkUnrecorded();
    this.status(status).setHeader("Location", url);
    return this.recordEmpty();
  }

  sse(): SseStream;
  sse(events: AsyncIterable<SseEvent | string>): this;
  sse(events?: AsyncIterable<SseEvent | string>): this | SseStream {
    const recorded = events && new RecordedEvents(eventsOf(this.#declaration, events, this));
    this.#record("events", "text/event-stream", recorded);
    if (fieldOf(this.#head, "Cache-Control") === undefined) this.appendHeader("Cache-Control", "no-store");
    this.appendHeader("X-Accel-Buffering", "no");
    return events === undefined ? this.#openEvents() : this;
  }

  upgrade(accept: UpgradeHandler): this {
    this.#checkUnrecorded();
    this.#status = SWITCHING_PROTOCOLS;
    this.#upgrade = accept;
    this.#recorded("switch", undefined);
    return this;
  }

  onResponse(hook: ResponseHook): this {
    if (this.#areHooksTaken || this.committed) throw respondedAlready(this);
    this.#ownHooks = this.#ownHooks === undefined ? [hook] : [hook, ...this.#ownHooks];
    return this;
  }

  outliveClient(): this {
    this.#outlives = true;
    return this;
  }

  onChunk(listener: ChunkListener): this {
    const earlier = this.#onChunk;
    this.#onChunk = earlier === undefined ? listener : (chunk) => (observe(earlier, chunk), listener(chunk));
    return this;
  }

  onComplete(listener: CompletionListener): this {
    if (this.isOver) tell(listener, this.#ended(), this, this.services);
    else this.#lastListener = new Listening(listener, this.#lastListener);
    return this;
  }

  /** A response without content. RUNNING ▸ RECORDED, FAILED ▸ READY. @throws Error when one is recorded. */
  recordEmpty(): this {
    this.#checkUnrecorded();
    this.#recorded("none", undefined);
    return this;
  }

  /** Records a handler's return value, if there is one. @throws the return value when it is an error. */
  recordValue(value: unknown): void {
    if (value === undefined || value === this) return;
    if (this.#phase >= EVENTS || this.#isAlone) return dismiss(streamIn(value));
    const declared = this.target.declared?.of(this.#status);
    if (declared?.kind === "events" && isStream(value)) return void this.sse(value as AsyncIterable<SseEvent>);
    if (declared?.kind === "redirect" && typeof value === "string") return void this.redirect(value, this.#status);
    const out = (declared && declaredOutgoing(value, this, declared)) ?? outgoing(value, this);
    if (out.kind !== "response") return void this.#record(out.kind, out.type, out.body);
    this.#checkUnrecorded();
    this.#readWhole = recordResponse(this, out.body);
  }

  /**
   * Records a response that replaces the recorded one. Keeps the old head lines that `keep` accepts and the names of `Vary`.
   * FAILED, RUNNING, RECORDED, READY ▸ as `text` does.
   *
   * @throws Error after the head was sent.
   */
  replaceWith(
    status: number,
    fields: readonly (readonly [string, string])[],
    type: string,
    body: string,
    drop: Drop,
  ): void {
    const vary = fieldsOf(this.#head, "vary");
    this.discard(withoutFields(this.#head, drop));
    this.#status = status;
    for (const [name, value] of fields) {
      replaceField(this.#head, name, value);
      this.#hasLength ||= isContentLength(name);
    }
    replaceField(this.#head, "Content-Type", type);
    keepVary(this.#head, vary);
    this.#recorded("text", body);
  }

  /**
   * Forgets the recorded response except for `head`: RECORDED ▸ RUNNING, READY ▸ FAILED. @throws Error after the head was sent.
   */
  discard(head: string[]): void {
    this.#checkOpen();
    this.dismissStream();
    this.#head = head;
    this.#kind = "none";
    this.#body = undefined;
    this.#declared = undefined;
    this.#hasLength = false;
    this.#status = 200;
    if (this.#phase === RECORDED) this.#phase = RUNNING;
    else if (this.#phase === READY) this.#phase = FAILED;
  }

  /** The recorded header lines without those that `drop` names, for `discard`. */
  headWithout(drop: Drop): string[] {
    return withoutFields(this.#head, drop);
  }

  /** Restores the names of an earlier `Vary`. */
  keepVary(earlier: string | undefined): void {
    keepVary(this.#head, earlier);
  }

  /** @throws Error after the head was sent. */
  #checkOpen(): void {
    if (this.#phase >= EVENTS) throw respondedAlready(this);
  }

  /** @throws Error when a response is recorded, or the head was sent. */
  #checkUnrecorded(): void {
    if (this.#phase === RUNNING || this.#phase === FAILED || this.#phase === LEFT) return;
    throw this.#phase === RECORDED || this.#phase === READY ? respondedTwice(this) : respondedAlready(this);
  }

  #checkField(name: string, value: string | number): string {
    const text = checkField(name, value);
    this.#checkOpen();
    this.#hasLength ||= isContentLength(name);
    return text;
  }

  /**
   * Records a body, with that type unless another is set. RUNNING ▸ RECORDED, FAILED ▸ READY. @throws Error when one is
   * recorded.
   */
  #record(kind: Kind, contentType: string, body: Body): this {
    // A recorded stream waits for the chain. A stream recorded after another response or after the request's end is dismissed.
    if ((kind === "stream" || kind === "events") && body !== undefined) {
      (this.responded ? dismiss : hold)(body as StreamBody);
      this.scope = currentScope();
    }
    this.#checkUnrecorded();
    if (this.#head.length === 0 || fieldOf(this.#head, "Content-Type") === undefined) {
      const declared = this.target.declared?.of(this.#status);
      const type = declared === undefined ? contentType : declaredType(declared, contentType);
      this.#head.push("Content-Type", type);
      if (declared?.type === type) this.#declared = declared;
    }
    this.#recorded(kind, body);
    return this;
  }

  /** The declaration of the recorded status, if the route has one. */
  get #declaration(): Declaration | undefined {
    return this.target.declared?.of(this.#status);
  }

  /**
   * Compares the recorded response with the route's contract. JSON that was recorded for another status is shaped again.
   *
   * @throws Error when its schema rejects it.
   */
  #checkDeclared(declared: Declared): void {
    const declaration = declared.of(this.#status);
    if (declaration !== undefined && declaration === this.#declared) return;
    const contentType = fieldOf(this.#head, "Content-Type");
    declared.check(this, { status: this.#status, contentType, isEmpty: this.#kind === "none" });
    const isText = this.#kind === "text" && declaration?.shape !== undefined;
    if (isText) this.#body = reshaped(this.#body as string, contentType, this, declaration);
  }

  #recorded(kind: Kind, body: Body): void {
    this.#kind = kind;
    this.#body = body;
    if (this.#phase === RUNNING) this.#phase = RECORDED;
    else if (this.#phase === FAILED) this.#phase = READY;
    else this.#body = undefined; // Its client has left.
  }

  // ── The response: decided, and sent ──

  /** Is there a response to send? False after it was sent, and when the client has left. */
  get isReady(): boolean {
    return this.#phase === READY || this.#phase === FAILED;
  }

  /** Is the request over? Then its listeners have run. */
  get isOver(): boolean {
    return this.#phase === LEFT || this.#phase === FINISHED;
  }

  get isWatched(): boolean {
    return this.#lastListener !== undefined;
  }

  /**
   * The chain is over and returned `value`: RUNNING, RECORDED ▸ READY. False when its outcome is ignored.
   *
   * @param silent called when nothing responded and no status was set
   * @throws the returned error, or an earlier error of its stream, so that the error can become a response
   */
  settle(value?: unknown, silent?: (ctx: this) => void): boolean {
    if (value !== undefined) this.recordValue(value);
    const stream = this.#pieces();
    const failure = stream === undefined ? undefined : failureOf(stream);
    if (failure !== undefined) throw failure;
    if (this.#phase > RECORDED) return false;
    const { declared } = this.target;
    if (declared !== undefined && (this.#phase === RECORDED || this.#status !== 200)) this.#checkDeclared(declared);
    const isSilent = this.#phase === RUNNING && this.#status === 200;
    this.#phase = READY;
    if (!isSilent) return true;
    this.#status = 204;
    silent?.(this);
    return true;
  }

  /** The recorded body, if it is sent in pieces. */
  #pieces(): StreamBody | undefined {
    return this.#kind === "stream" || this.#kind === "events" ? (this.#body as StreamBody | undefined) : undefined;
  }

  /** An error of the chain or of a response hook: RUNNING, RECORDED, READY ▸ FAILED if it is to be mapped. */
  fail(error: unknown, isOwn: boolean): Failure {
    const phase = this.#phase;
    if (phase === EVENTS) {
      this.#error = error;
      return "cut";
    }
    if (phase !== RUNNING && phase !== RECORDED && phase !== READY) return "report";
    this.#error = isOwn ? undefined : error;
    this.#phase = FAILED;
    return "map";
  }

  /** A host responds instead. The phase is COMMITTED from now on, and the host reports its end. False when no host waits. */
  handOver(): boolean {
    if (this.committed || this.exchange.pass?.(this.#head, this) !== true) return false;
    this.dismissStream();
    if (!this.isOver) this.#phase = COMMITTED;
    return true;
  }

  /** Takes the registered response hooks, once. Undefined when there are none. */
  takeHooks(): readonly ResponseHook[] | undefined {
    if (!this.isReady || this.#areHooksTaken) return undefined;
    this.#areHooksTaken = true;
    const [shared, own] = [this.target.responseHooks, this.#ownHooks];
    const hooks = shared === undefined || own === undefined ? (shared ?? own) : [...shared, ...own];
    const read = this.#readWhole;
    return read === undefined ? hooks : [(_, recorded) => this.#whole(read, recorded), ...(hooks ?? [])];
  }

  /** Reads the body of a web Response whole if possible. If that fails, the hooks still have to see the error. */
  async #whole(read: ReadWhole, recorded: RecordedResponse): Promise<RecordedResponse | undefined> {
    this.#readWhole = undefined;
    try {
      const whole = await read(recorded);
      const declaration = this.#declaration;
      return whole === undefined || declaration?.shape === undefined ? whole : reshapedWhole(whole, this, declaration);
    } catch (error) {
      this.#areHooksTaken = false;
      throw error;
    }
  }

  /** The recorded response, for a response hook. */
  recorded(): RecordedResponse {
    return { status: this.#status, headers: this.#head, body: this.#body };
  }

  /**
   * The replacement from a response hook. Dismissed when the client has left. @throws TypeError, RangeError when it is invalid.
   */
  replace({ status, headers, body }: RecordedResponse): void {
    if (!this.isReady) return isStream(body) ? dismiss(body) : undefined;
    const checked = status === this.#status ? status : checkedStatus(status);
    const isSameHead = headers === this.#head;
    if (!isSameHead) {
      this.#head = checkedHead(headers);
      this.#hasLength = fieldOf(this.#head, "Content-Length") !== undefined;
    }
    this.#status = checked;
    if (body === this.#body || this.#isLeaving) return;
    const kind = kindOf(body);
    if (kind !== "stream") this.dismissStream();
    else {
      hold(body as StreamBody);
      if (this.#body instanceof RecordedEvents) endWithApp(this.#body, this.services, this, () => this.abort());
    }
    this.#kind = kind;
    this.#body = body;
    if (isSameHead && this.#hasLength) this.#dropLength(); // It belongs to the replaced body.
  }

  /** Sends the recorded response: READY ▸ COMMITTED ▸ FINISHED. Does nothing when there is none. */
  commit(): void {
    if (this.isReady && this.exchange.gone) this.leave();
    if (!this.isReady) return;
    this.#phase = COMMITTED;
    if (this.#isLeaving) return this.#leaveHttp();
    const stream = this.#pieces();
    if (stream !== undefined) {
      if (!isWithoutContent(this.#status)) return this.#stream(stream);
      this.dismissStream(); // A response without content dismisses its stream.
    }
    if (this.#vary !== undefined) keepVary(this.#head, this.#vary);
    if (this.#hasLength) this.#dropLength();
    const whole = this.#status === 205 ? undefined : (this.#body as string | Uint8Array | undefined);
    this.exchange.respond(this.#status, this.#head, whole, this);
  }

  /** Does the connection leave HTTP? Not when a hook or an error has set another status. */
  get #isLeaving(): boolean {
    return this.#kind === "switch" && this.#status === SWITCHING_PROTOCOLS;
  }

  /** Lets the connection leave HTTP. */
  #leaveHttp(): void {
    const accept = this.#upgrade;
    this.#upgrade = undefined;
    this.arm();
    if (accept === undefined) return;
    leaveHttp(this, {
      accept,
      headers: withoutFields(this.#head, (name) => name.startsWith("content-")),
      closed: () => this.abort(),
    });
  }

  /** Sends the head of an event stream while the chain runs: RECORDED ▸ EVENTS, READY ▸ COMMITTED. */
  #openEvents(): SseStream {
    this.scope = currentScope();
    if (this.#phase === RECORDED) this.#phase = EVENTS;
    else if (this.#phase === READY) this.#phase = COMMITTED;
    const event = this.#declaration?.event;
    return this.#events(undefined, event && ((given) => event(this, given)));
  }

  /** An event stream has no length. Its head is sent first, then its events as they come. */
  #events(events?: AsyncIterable<SseEvent | string>, prepare?: PrepareEvent): SseStream {
    if (this.#hasLength) this.#dropLength();
    return this.#open(undefined).events(events, prepare);
  }

  /** Sends the recorded stream: its head now, its body no faster than the client reads. */
  #stream(body: StreamBody): void {
    if (body instanceof RecordedEvents) this.#events(body.events);
    else this.#open(this.#promisedLength()).stream(body);
  }

  /** Sends the head of a response that follows in pieces. */
  #open(length: number | undefined): Sending {
    if (this.#vary !== undefined) keepVary(this.#head, this.#vary);
    this.arm();
    this.#body = undefined;
    const sending = new Sending(this, { status: this.#status, headers: this.#head, length, onChunk: this.#onChunk });
    return (this.#sending = sending);
  }

  /** The Content-Length that the app set for a stream. An invalid one is reported and left out. */
  #promisedLength(): number | undefined {
    if (!this.#hasLength) return undefined;
    const text = fieldsOf(this.#head, "Content-Length") ?? "";
    const length = lengthOf(text);
    if (length !== undefined) return this.method === "HEAD" ? undefined : length;
    const what = `${this.method} ${this.route ?? this.url} left out the header Content-Length`;
    this.services.report(what, new RangeError(`${JSON.stringify(text)} is not a number of bytes`));
    this.#dropLength();
    return undefined;
  }

  #dropLength(): void {
    this.#head = withoutFields(this.#head, (name) => name === "content-length");
    this.#hasLength = false;
  }

  /** The stream of the response has failed. */
  streamFailed(error: unknown): void {
    this.#error = error;
    const what = `${this.method} ${this.route ?? this.url} failed while its response was streamed`;
    this.inScope(() => this.services.report(what, error));
    this.cut();
  }

  /** Forgets a recorded stream and dismisses it. */
  dismissStream(): void {
    const body = this.#pieces();
    if (body === undefined) return;
    this.#body = undefined;
    this.inScope(() => dismiss(body));
  }

  // ── Its end ──

  get signal(): AbortSignal {
    this.arm();
    this.exchange.watch?.();
    const controller = (this.#abort ??= new AbortController());
    if (this.#isAlone) controller.abort();
    return controller.signal;
  }

  /** Watches from now on for the client to leave, and calls `onBroken` when its request breaks off. */
  arm(onBroken?: (error: HttpError) => void): void {
    this.#onBroken ??= onBroken;
    if (this.#isArmed || this.isOver) return;
    this.#isArmed = true;
    this.exchange.onGone(this);
  }

  /** Has the client left, so that nothing needs the response? */
  get #isAlone(): boolean {
    return this.exchange.gone && !this.#outlives;
  }

  /** The client has left, either too early or because it has all promised bytes. */
  gone(): void {
    if (!this.#outlives || this.committed) this.leave();
  }

  /** Ends the request whose client has left. */
  leave(): void {
    if (this.isOver) return;
    this.abort();
    this.dismissStream();
    if (!this.committed) this.#status = CLIENT_CLOSED_REQUEST;
    this.complete(this.#sending?.isWhole !== true);
  }

  /** The rest of the request is malformed or too late. `error` is its response, unless another is on its way. */
  broken(error: HttpError, reason?: unknown): void {
    if (this.#phase === EVENTS || this.#phase === COMMITTED) return this.cut();
    if (this.#phase > FAILED) return;
    this.#phase = FAILED;
    this.#error = error;
    this.#onBroken?.(error);
    if (this.#phase === COMMITTED) this.#phase = BROKEN;
    this.#abort ??= new AbortController();
    this.abort(reason);
  }

  delivered(bytes: number, aborted: boolean, status?: number): void {
    this.#sent = bytes;
    if (status !== undefined) this.#status = status;
    if (this.#status === SWITCHING_PROTOCOLS) this.abort();
    this.complete(aborted);
  }

  /** Aborts the signal, if one was requested. */
  abort(reason?: unknown): void {
    if (this.#abort !== undefined) this.inScope(() => this.#abort?.abort(reason));
  }

  /** The response cannot be completed, so its connection is cut, or its stream reset. */
  cut(error?: unknown): void {
    this.#error ??= error;
    this.dismissStream();
    this.exchange.cut();
    this.complete(true);
    this.abort();
  }

  /** The request is over. Every listener runs, once. */
  complete(aborted: boolean): void {
    if (this.isOver) return;
    this.#phase = this.committed ? FINISHED : LEFT;
    this.#isAborted = aborted;
    const last = this.#lastListener;
    if (last !== undefined) this.inScope(() => tellAll(last, this.#ended(), this, this.services));
  }

  #ended(): Completion {
    const of = { startedAt: this.startedAt, error: this.#error, ...this.recorded() };
    return (this.#completion ??= completionOf(of, this.#sending?.sent ?? this.#sent, this.#isAborted));
  }
}

/** Selects the head lines to drop, by lower-case name. */
type Drop = (lowerCaseName: string) => boolean;
