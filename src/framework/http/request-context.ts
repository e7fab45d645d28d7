/**
 * The answering half of a context: records one answer, writes it once, tells everybody when it is over.
 *
 *   json · text · bytes ──────────────────▶ recorded ──▶ flush(): one write ─────────────▶ listeners, exactly once
 *   streams · a web Response · sse(events) ▶ recorded ──▶ flush(): head, body in pieces ──▶ listeners
 *   sse() ────────────────────────────────▶ head at once, events as they are sent ───────▶ listeners
 *   an error, or a client that leaves ────▶ a recorded stream is dismissed
 *
 * Spec: spec/context.md (CTX), spec/middleware.md (MW)
 */
import {
  answeredAlready,
  answeredTwice,
  checkedStatus,
  checkedText,
  jsonText,
  refusal,
  usedBody,
} from "./response-values.ts";
import { attributeOf, type Attribute } from "./attributes.ts";
import type { BeanType } from "../beans/types.ts";
import type { BodyOf, BodyType } from "./body.ts";
import { completionOf, Listening, tell, tellAll } from "./completion.ts";
import type { AttributeOf, Completion, CompletionListener, Context, StreamBody } from "./context.ts";
import type { Delivery, Exchange, GoneListener, Sink } from "./exchange.ts";
import { HttpError, noBeans } from "../internal/errors.ts";
import { checkField, fieldOf, fieldsOf, isContentLength, keepVary, replaceField, withoutFields } from "./headers.ts";
import { joinPatterns } from "../routing/pattern.ts";
import { RequestReader } from "./request.ts";
import type { ContextServices } from "./services.ts";
import { SseStream, type SseEvent } from "./sse.ts";
import {
  counted,
  dismiss,
  failureOf,
  hold,
  isPlain,
  isReadElsewhere,
  isStream,
  pump,
  pumpEvents,
  RecordedEvents,
} from "./streaming.ts";
import { isResponse, respondWith } from "./web-response.ts";

type Streamed = StreamBody | RecordedEvents;
type Payload = string | Uint8Array | Streamed | undefined;

const isStreamed = (payload: Payload): payload is Streamed =>
  typeof payload === "object" && !(payload instanceof Uint8Array);

const sourceOf = (streamed: Streamed): StreamBody | AsyncIterable<SseEvent | string> =>
  streamed instanceof RecordedEvents ? streamed.events : streamed;

/** Statuses whose response has no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5). */
const isNullBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** One request and its answer. */
export class RequestContext extends RequestReader implements Context, Delivery, GoneListener {
  readonly services: ContextServices;
  readonly startedAt: number = performance.now();
  statusCode = 200;
  route: string | undefined = undefined;
  answered = false;
  /** The head is on its way: nothing may be recorded any more. */
  committed = false;
  /** The request is over and its listeners have run. */
  finished = false;
  /** The request broke off and has its answer: the chain's outcome counts no more. */
  spoilt = false;
  error: unknown = undefined;
  head: string[] = [];
  payload: Payload = undefined;
  traced: unknown = undefined; // What framework/opentelemetry keeps of the span.
  /** What `Vary` says in the end whatever is set meanwhile: CORS's part of it. */
  varies: string | undefined = undefined;
  #lastListener: Listening | undefined;
  #completion: Completion | undefined;
  #attributes: Attribute | undefined;
  #abort: AbortController | undefined;
  #armed = false;
  #answerWith: ((error: HttpError) => void) | undefined;
  #streamed = 0;
  #aborted = false;
  #framed = false;

  constructor(exchange: Exchange, services: ContextServices, routed: string, isPlain: boolean) {
    super(exchange, services, routed, isPlain);
    this.services = services;
  }

  get signal(): AbortSignal {
    this.arm();
    const controller = (this.#abort ??= new AbortController());
    if (this.exchange.gone) controller.abort();
    return controller.signal;
  }

  override body<S extends BodyType>(type?: S): Promise<BodyOf<S>> {
    return super.body(type) as Promise<BodyOf<S>>;
  }

  header(name: string): string | undefined;
  header(name: string, value: string | number): this;
  header(name: string, value?: string | number): this | string | undefined {
    if (value === undefined) return this.exchange.header(name.toLowerCase());
    const text = String(value);
    checkField(name, text);
    this.#open();
    this.#framed ||= isContentLength(name);
    replaceField(this.head, name, text);
    return this;
  }

  appendHeader(name: string, value: string | number): this {
    const text = String(value);
    checkField(name, text);
    this.#open();
    this.#framed ||= isContentLength(name);
    this.head.push(name, text);
    return this;
  }

  responseHeader(name: string): string | undefined {
    return fieldsOf(this.head, name);
  }

  status(code: number): this {
    const checked = checkedStatus(code);
    this.#open();
    this.statusCode = checked;
    return this;
  }

  json(value: unknown): this {
    return this.#record("application/json", jsonText(value));
  }

  text(value: string): this {
    return this.#record("text/plain; charset=utf-8", checkedText("ctx.text()", value));
  }

  html(value: string): this {
    return this.#record("text/html; charset=utf-8", checkedText("ctx.html()", value));
  }

  send(body: Uint8Array | StreamBody): this {
    if (body instanceof Uint8Array) return this.#record("application/octet-stream", body);
    if (!isStream(body)) throw refusal("ctx.send()", body, "bytes or a stream");
    if (isReadElsewhere(body)) throw usedBody("the stream that ctx.send() got");
    this.#record("application/octet-stream", body);
    return this.#hold(body);
  }

  redirect(url: string, status = 302): this {
    if (![301, 302, 303, 307, 308].includes(status))
      throw new RangeError(`${status} is no redirect: use 301, 302, 303, 307 or 308`);
    this.#unanswered().status(status).header("Location", url);
    this.answered = true;
    return this;
  }

  sse(): SseStream;
  sse(events: AsyncIterable<SseEvent | string>): this;
  sse(events?: AsyncIterable<SseEvent | string>): this | SseStream {
    this.#record("text/event-stream", events === undefined ? undefined : new RecordedEvents(events));
    if (this.responseHeader("cache-control") === undefined) this.head.push("Cache-Control", "no-store");
    this.head.push("X-Accel-Buffering", "no");
    if (events === undefined) return this.#openEvents();
    return this.#hold(events);
  }

  attribute<K extends string>(name: K): AttributeOf<K> | undefined;
  attribute<K extends string>(name: K, value: AttributeOf<K>): this;
  attribute<K extends string>(name: K, value?: AttributeOf<K>): this | AttributeOf<K> | undefined {
    const known = attributeOf(this.#attributes, name);
    if (arguments.length === 1) return known?.value as AttributeOf<K> | undefined;
    if (known === undefined) this.#attributes = { name, value, earlier: this.#attributes };
    else known.value = value;
    return this;
  }

  get<T extends object>(type: BeanType<T>): T {
    if (this.services.beans === undefined) throw noBeans();
    return this.services.beans.get(type);
  }

  setRoute(pattern: string): void {
    this.route = joinPatterns(this.services.contextPath, pattern);
  }

  onComplete(listener: CompletionListener): this {
    if (this.finished) tell(listener, this.#ended(), this, this.services);
    else this.#lastListener = new Listening(listener, this.#lastListener);
    return this;
  }

  /** Records what a handler returned. @throws HttpError what was returned, when it is one. */
  answer(value: unknown): void {
    if (value === undefined || value === this) return;
    if (this.committed || this.exchange.gone) return dismissUnsent(value);
    if (typeof value === "string") this.text(value);
    else if (isPlain(value)) this.json(value);
    else if (value instanceof Uint8Array) this.send(value);
    else if (isResponse(value)) respondWith(this.#unanswered(), value);
    else if (isStream(value)) this.send(value);
    else if (value instanceof HttpError) throw value;
    else this.json(value);
  }

  /** Writes the recorded answer. Called once the chain has settled. */
  flush(): void {
    if (this.committed || this.finished) return;
    if (this.exchange.gone) return this.gone();
    const { payload } = this;
    if (isStreamed(payload) && !isNullBody(this.statusCode)) return this.#stream(payload);
    this.committed = true;
    if (this.varies !== undefined) keepVary(this.head, this.varies);
    if (this.#framed) this.#withoutLength();
    if (payload === undefined && !this.answered && this.statusCode === 200) this.statusCode = 204;
    this.exchange.respond(this.statusCode, this.head, this.#whole(payload), this);
  }

  /** A recorded stream waits for the chain; where the request is over already, nobody will read it. */
  #hold(source: StreamBody | AsyncIterable<unknown>): this {
    if (this.finished) this.dismissStream();
    else hold(source);
    return this;
  }

  /** What the recorded stream has failed with already; then it is no response yet, and the error can be one. */
  streamFailure(): unknown {
    return isStreamed(this.payload) ? failureOf(sourceOf(this.payload)) : undefined;
  }

  /** Forgets a recorded stream, and tells it that nobody will read it. */
  dismissStream(): void {
    const { payload } = this;
    if (!isStreamed(payload)) return;
    this.payload = undefined;
    dismiss(sourceOf(payload));
  }

  /** Notices from now on when the client leaves, and answers with an error when its request breaks off. */
  arm(answerWith?: (error: HttpError) => void): void {
    this.#answerWith ??= answerWith;
    if (this.#armed || this.finished) return;
    this.#armed = true;
    void this.exchange.peer; // Node tells it of a closed socket only when it was asked for before.
    this.exchange.onGone(this);
  }

  gone(): void {
    if (this.finished) return;
    this.#abort?.abort();
    this.dismissStream();
    if (!this.committed) this.statusCode = 499;
    this.complete(true);
  }

  broken(error: HttpError): void {
    if (this.finished || this.spoilt) return;
    if (this.committed) {
      this.exchange.cut();
      return this.complete(true);
    }
    this.spoilt = true;
    this.#answerWith?.(error);
    (this.#abort ??= new AbortController()).abort();
  }

  delivered(bytes: number, aborted: boolean, status?: number): void {
    this.#streamed = bytes;
    if (status !== undefined) this.statusCode = status;
    this.complete(aborted);
  }

  /** Ends the request: every listener runs, once. */
  complete(aborted: boolean): void {
    if (this.finished) return;
    this.finished = true;
    this.#aborted = aborted;
    if (this.#lastListener !== undefined) tellAll(this.#lastListener, this.#ended(), this, this.services);
  }

  /** Forgets the recorded answer, for the error's own; some headers stay. */
  discard(head: string[]): void {
    this.dismissStream();
    this.head = head;
    this.payload = undefined;
    this.answered = false;
    this.statusCode = 200;
  }

  #ended(): Completion {
    return (this.#completion ??= completionOf(this, this.#streamed, this.#aborted));
  }

  #open(): void {
    if (this.committed) throw answeredAlready(this);
  }

  #unanswered(): this {
    this.#open();
    if (this.answered) throw answeredTwice(this);
    return this;
  }

  #record(contentType: string, payload: Payload): this {
    this.#unanswered();
    if (fieldOf(this.head, "Content-Type") === undefined) this.head.push("Content-Type", contentType);
    this.payload = payload;
    this.answered = true;
    return this;
  }

  /** The payload that goes out in one write. A response without content tells its stream so. */
  #whole(payload: Payload): string | Uint8Array | undefined {
    if (!isStreamed(payload)) return this.statusCode === 205 ? undefined : payload;
    this.dismissStream();
    return undefined;
  }

  /** The recorded stream: its head now, its body no faster than the client reads. */
  #stream(body: Streamed): void {
    if (body instanceof RecordedEvents) return void this.#openEvents(body.events);
    const sink = this.#commit(this.#promisedLength());
    if (this.method === "HEAD") {
      dismiss(body);
      sink.end();
      return this.complete(this.exchange.gone);
    }
    pump(body, sink, this.signal).then(
      () => this.complete(this.exchange.gone),
      (error: unknown) => this.#cut(error),
    );
  }

  /** An event stream: the head goes out, and the stream ends with its client and with the app. */
  #openEvents(events?: AsyncIterable<SseEvent | string>): SseStream {
    if (this.#framed) this.#withoutLength();
    const sink = this.#commit();
    const { streams } = this.services;
    const over = new AbortController();
    const stream: SseStream = new SseStream(sink, this.signal, this.exchange.header("last-event-id"), () => {
      streams.delete(stop);
      over.abort();
      this.complete(this.exchange.gone);
    });
    const stop = (): void => {
      stream.close();
      this.#abort?.abort();
    };
    streams.add(stop);
    this.signal.addEventListener("abort", () => stream.close(), { once: true });
    if (this.method === "HEAD") stream.close();
    if (events !== undefined) pumpEvents(events, stream, over.signal).catch((error: unknown) => this.#cut(error));
    return stream;
  }

  #commit(length?: number): Sink {
    this.committed = true;
    if (this.varies !== undefined) keepVary(this.head, this.varies);
    this.arm();
    const sink = this.exchange.open(this.statusCode, this.head, this.method === "HEAD");
    this.payload = undefined;
    return counted(sink, (bytes) => void (this.#streamed += bytes), length);
  }

  /** The Content-Length that the app set for a stream. One that is no length is reported, and left out. */
  #promisedLength(): number | undefined {
    if (!this.#framed) return undefined;
    const text = fieldsOf(this.head, "Content-Length") ?? "";
    const length = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(length)) return this.method === "HEAD" ? undefined : length;
    const what = `${this.method} ${this.route ?? this.url} left out the header Content-Length`;
    this.services.report(what, new RangeError(`${JSON.stringify(text)} is not a number of bytes`));
    this.#withoutLength();
    return undefined;
  }

  #withoutLength(): void {
    this.head = withoutFields(this.head, (name) => name === "content-length");
  }

  #cut(error: unknown): void {
    this.error = error;
    this.services.report(`${this.method} ${this.route ?? this.url} failed while its answer was being streamed`, error);
    this.exchange.cut();
    this.complete(true);
  }
}

/** A handler's value that comes too late to be sent: a stream is told so, or it would hold its file open. */
function dismissUnsent(value: unknown): void {
  if (isResponse(value)) value.body?.cancel().catch(() => undefined);
  else if (isStream(value)) dismiss(value);
}
