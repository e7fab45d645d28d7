/**
 * The answering half of a context: records one answer, writes it once, tells everybody when it is over.
 *
 *   json · text · send · a returned value ──▶ recorded ──▶ flush(): one write ──▶ listeners, exactly once
 *   sse() · streams ─────────────────────────────────────▶ head at once, body in pieces ──▶ listeners
 *   the client leaves ────────────────────────────────────────────────────────────────▶ listeners (499 before the head)
 *
 * Spec: spec/context.md (CTX), spec/middleware.md (MW)
 */
import { answeredAlready, answeredTwice, checkedStatus, checkedText, jsonText, refusal } from "./answer.ts";
import { attributeOf, type Attribute } from "./attributes.ts";
import type { BeanType } from "./beans/types.ts";
import type { BodyOf, BodyType } from "./body.ts";
import { completionOf, Listening, tell, tellAll } from "./completion.ts";
import type { AttributeOf, Completion, CompletionListener, Context, StreamBody } from "./context.ts";
import type { Delivery, Exchange, GoneListener } from "./engine/exchange.ts";
import { noBeans, type HttpError } from "./errors.ts";
import { checkField, fieldOf, fieldsOf, isContentLength, replaceField, withoutFields } from "./headers.ts";
import { joinPatterns } from "./pattern.ts";
import type { RunContext } from "./pipeline.ts";
import { RequestReader } from "./request.ts";
import type { ContextServices } from "./services.ts";
import { SseStream, type SseEvent } from "./sse.ts";
import { counted, dismiss, isPlain, isStream, pump, pumpEvents } from "./streaming.ts";
import { isResponse, respondWith } from "./web-response.ts";

type Payload = string | Uint8Array | StreamBody | undefined;

/** One request and its answer. */
export class RequestContext extends RequestReader implements Context, RunContext, Delivery, GoneListener {
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
  #lastListener: Listening | undefined;
  #completion: Completion | undefined;
  #attributes: Attribute | undefined;
  #abort: AbortController | undefined;
  #armed = false;
  #answerWith: ((error: HttpError) => void) | undefined;
  #streamed = 0;
  #aborted = false;
  #framed = false;

  constructor(exchange: Exchange, services: ContextServices, routed: string) {
    super(exchange, services, routed);
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
    if (!(body instanceof Uint8Array) && !isStream(body)) throw refusal("ctx.send()", body, "bytes or a stream");
    this.#record("application/octet-stream", body);
    if (!(body instanceof Uint8Array)) this.#stream(body);
    return this;
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
    this.#record("text/event-stream", undefined);
    if (this.responseHeader("cache-control") === undefined) this.head.push("Cache-Control", "no-store");
    this.head.push("X-Accel-Buffering", "no");
    const sink = this.#commit();
    const over = new AbortController();
    const stream: SseStream = new SseStream(sink, this.signal, this.exchange.header("last-event-id"), () => {
      this.services.streams.delete(stream);
      over.abort();
      this.complete(this.exchange.gone);
    });
    this.services.streams.add(stream);
    this.signal.addEventListener("abort", () => stream.close(), { once: true });
    if (this.method === "HEAD") stream.close();
    if (events === undefined) return stream;
    pumpEvents(events, stream, over.signal).catch((error: unknown) => this.#cut(error));
    return this;
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

  /** Records what a handler returned. */
  answer(value: unknown): void {
    if (value === undefined || value === this || this.committed || this.exchange.gone) return;
    if (typeof value === "string") this.text(value);
    else if (isPlain(value)) this.json(value);
    else if (value instanceof Uint8Array) this.send(value);
    else if (isResponse(value)) respondWith(this.#unanswered(), value);
    else if (isStream(value)) this.send(value);
    else this.json(value);
  }

  /** Writes the recorded answer. Called once the chain has settled. */
  flush(): void {
    if (this.committed || this.finished) return;
    this.committed = true;
    const { payload } = this;
    if (this.exchange.gone) {
      this.statusCode = 499;
      return this.complete(true);
    }
    if (this.#framed) this.head = withoutFields(this.head, (name) => name === "content-length");
    if (payload === undefined && !this.answered && this.statusCode === 200) this.statusCode = 204;
    this.exchange.respond(this.statusCode, this.head, payload as string | Uint8Array | undefined, this);
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

  #commit(): ReturnType<Exchange["open"]> {
    this.committed = true;
    this.payload = undefined;
    this.arm();
    const sink = this.exchange.open(this.statusCode, this.head, this.method === "HEAD");
    return counted(sink, (bytes) => void (this.#streamed += bytes));
  }

  #stream(body: StreamBody): void {
    const sink = this.#commit();
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

  #cut(error: unknown): void {
    this.error = error;
    this.services.report(`${this.method} ${this.route ?? this.url} failed while its answer was being streamed`, error);
    this.exchange.cut();
    this.complete(true);
  }
}
