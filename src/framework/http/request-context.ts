/**
 * RequestContext: what handlers and middleware get.
 *
 *   request.ts ──▶ response.ts ──▶ this: every way to respond, attributes, beans, the route
 *
 * Spec: spec/context.md
 */
import type { BeanType } from "../beans/types.ts";
import { noBeans } from "../internal/errors.ts";
import { defineRenamed } from "../internal/renamed.ts";
import { SWITCHING_PROTOCOLS } from "../internal/http-rules.ts";
import { joinPatterns } from "../routing/pattern.ts";
import { annotationsOf } from "./annotations.ts";
import { attributeOf, type Attribute, type AttributeEntry } from "./attributes.ts";
import { type Input, noInput, noMeta, type Reply, type RouteMeta } from "../contract/contract.ts";
import type { BodyOf, BodyType } from "../contract/schema.ts";
import type { Log } from "../internal/logger.ts";
import type { Annotations, AttributeOf, Context, RecordedResponse, ResponseHook, StreamBody } from "./context.ts";
import type { ErrorHandlers } from "./error-handlers.ts";
import { cookieLine, type CookieOptions, type CookiePlace, deletedCookieLine } from "./cookies.ts";
import { RequestLog } from "./request-log.ts";
import { ResponseRecorder } from "./response.ts";
import { type ResponseBody, withWholeBody } from "./response-body.ts";
import { attachment } from "./content-disposition.ts";
import { checkedText, jsonText, rejection, respondedAlready, usedBody } from "./response-values.ts";
import type { SseEvent, SseStream } from "./sse.ts";
import { dismiss, isPlain, isReadElsewhere, isStream, RecordedEvents } from "./streaming.ts";
import { leaveHttp } from "./leave-http.ts";
import type { UpgradeHandler } from "./upgrade.ts";
import { webRequest } from "./web-request.ts";
import { bytesOf, isBlob, isBuffer, isResponse, recordResponse, responseOf } from "./web-response.ts";

/** One request and its response. */
export class RequestContext extends ResponseRecorder implements Context {
  static {
    defineRenamed(this.prototype, { pathParams: "ctx.pathParams is ctx.params now" });
  }

  /** What `app.onResponse` and the route's groups have registered; undefined where there is nothing. */
  responseHooks: readonly ResponseHook[] | undefined = undefined;
  /** Of the route's groups, the innermost first; undefined where they have none. */
  errorHandlers: readonly ErrorHandlers[] | undefined = undefined;
  /** What middleware has registered for this request, the last one first. */
  #ownHooks: readonly ResponseHook[] | undefined;
  #areHooksTaken = false;
  /** Set by the route's contract. */
  input: Input = noInput;
  meta: RouteMeta = noMeta;
  #attributes: AttributeEntry | undefined;
  #log: Log | undefined = undefined;
  #request: Request | undefined;
  /** The middleware that ended the chain without a response. */
  silentMiddleware: object | undefined = undefined;
  /** The body of a web Response, which is read before the hooks see it. */
  #unread: ResponseBody | undefined;
  /** Takes the connection over, where the status is still 101. */
  #upgrade: UpgradeHandler | undefined;

  protected override get context(): this {
    return this;
  }

  get request(): Request {
    return (this.#request ??= webRequest(this));
  }

  get log(): Log {
    return (this.#log ??= new RequestLog(this, this.services));
  }

  get annotations(): Annotations | undefined {
    return annotationsOf(this, this.services.onAnnotation);
  }

  override body<S extends BodyType>(type?: S): Promise<BodyOf<S>> {
    return super.body(type) as Promise<BodyOf<S>>;
  }

  json(value: unknown): this {
    return this.recordBody("application/json", jsonText(value, this));
  }

  reply(...[status, value]: Reply): this {
    this.checkUnrecorded();
    this.status(status);
    return value === undefined ? this.recordEmpty() : this.json(value);
  }

  text(value: string): this {
    return this.recordBody("text/plain; charset=utf-8", checkedText("ctx.text()", value));
  }

  html(value: string): this {
    return this.recordBody("text/html; charset=utf-8", checkedText("ctx.html()", value));
  }

  send(body: Uint8Array | StreamBody): this {
    if (body instanceof Uint8Array) return this.recordBody("application/octet-stream", body);
    if (!isStream(body)) throw rejection("ctx.send()", body, "bytes or a stream");
    if (isReadElsewhere(body)) throw usedBody("the stream that ctx.send() got");
    return this.recordBody("application/octet-stream", body);
  }

  download(body: Uint8Array | StreamBody, name: string): this {
    const disposition = attachment(name);
    return this.send(body).setHeader("Content-Disposition", disposition);
  }

  redirect(url: string, status = 302): this {
    if (![301, 302, 303, 307, 308].includes(status))
      throw new RangeError(`${status} is no redirect: use 301, 302, 303, 307 or 308`);
    this.checkUnrecorded();
    this.status(status).setHeader("Location", url);
    return this.recordEmpty();
  }

  sse(): SseStream;
  sse(events: AsyncIterable<SseEvent | string>): this;
  sse(events?: AsyncIterable<SseEvent | string>): this | SseStream {
    this.recordBody("text/event-stream", events === undefined ? undefined : new RecordedEvents(events));
    if (this.responseHeader("cache-control") === undefined) this.appendHeader("Cache-Control", "no-store");
    this.appendHeader("X-Accel-Buffering", "no");
    return events === undefined ? this.openEvents() : this;
  }

  upgrade(accept: UpgradeHandler): this {
    this.recordSwitch();
    this.#upgrade = accept;
    return this;
  }

  /** Sends what is recorded, or lets the connection leave HTTP. */
  override commit(): void {
    const accept = this.#upgrade;
    if (accept === undefined || this.statusCode !== SWITCHING_PROTOCOLS) return super.commit();
    if (!this.beginCommit()) return;
    this.#upgrade = undefined;
    this.dismissStream();
    this.arm();
    leaveHttp(this, {
      accept,
      headers: this.headWithout((name) => name.startsWith("content-")),
      closed: () => this.abort(),
    });
  }

  /** What a handler returned, unless that is nothing. @throws what was returned, when it is an error. */
  recordValue(value: unknown): void {
    if (value === undefined || value === this) return;
    if (this.committed || this.exchange.gone) return dismissUnsent(value);
    if (typeof value === "string") this.text(value);
    else if (isPlain(value)) this.json(value);
    else if (value instanceof Uint8Array) this.send(value);
    else if (isResponse(value)) this.#recordResponse(value);
    else if (isStream(value)) this.send(value);
    else if (value instanceof Error) throw value;
    else if (isBuffer(value)) this.send(bytesOf(value));
    else if (isBlob(value)) this.#recordResponse(responseOf(value));
    else this.json(value);
  }

  setCookie(name: string, value: string, options?: CookieOptions): this {
    return this.putCookie(cookieLine(name, value, options));
  }

  deleteCookie(name: string, place?: CookiePlace): this {
    return this.putCookie(deletedCookieLine(name, place));
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

  onResponse(hook: ResponseHook): this {
    if (this.#areHooksTaken || this.committed) throw respondedAlready(this);
    this.#ownHooks = this.#ownHooks === undefined ? [hook] : [hook, ...this.#ownHooks];
    return this;
  }

  /** What the response is handed through: everything registered, once; undefined where there is nothing. */
  takeHooks(): readonly ResponseHook[] | undefined {
    if (this.#areHooksTaken) return undefined;
    this.#areHooksTaken = true;
    const [shared, own] = [this.responseHooks, this.#ownHooks];
    const hooks = shared === undefined || own === undefined ? (shared ?? own) : [...shared, ...own];
    return this.#unread === undefined ? hooks : [(_, recorded) => this.#readWhole(recorded), ...(hooks ?? [])];
  }

  /** Reads the body of a web Response whole, where it can be. Where that fails the hooks are still to see the error. */
  async #readWhole(recorded: RecordedResponse): Promise<RecordedResponse | undefined> {
    const unread = this.#unread;
    this.#unread = undefined;
    try {
      return unread === undefined ? undefined : await withWholeBody(recorded, unread);
    } catch (error) {
      this.#areHooksTaken = false;
      throw error;
    }
  }

  setRoute(pattern: string): void {
    this.route = joinPatterns(this.services.contextPath, pattern);
  }

  #recordResponse(response: Response): void {
    this.checkUnrecorded();
    this.#unread = recordResponse(this, response);
  }
}

/** A handler's value that comes too late to be sent: a stream is cancelled, or it would hold its file open. */
function dismissUnsent(value: unknown): void {
  const body = isResponse(value) ? value.body : value;
  if (isStream(body)) dismiss(body);
}
