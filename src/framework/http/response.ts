/**
 * The response of a request: recorded, then sent once, then over. One phase says where it stands.
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
 * RUNNING and RECORDED: the chain runs, and may still change what is recorded. FAILED: an error is being mapped, nothing
 * is recorded for it yet. READY: decided, the response hooks have it. EVENTS, COMMITTED: the head is out. BROKEN: the
 * request broke off and has had its error response; what its chain comes to counts no more. LEFT, FINISHED: over, the
 * listeners have run. Whatever a phase does not allow throws or does nothing, as each method says.
 *
 * Spec: spec/context.md, spec/middleware.md
 */
import { currentScope } from "../internal/async-scope.ts";
import type { HttpError } from "../internal/errors.ts";
import { CLIENT_CLOSED_REQUEST, isWithoutContent, SWITCHING_PROTOCOLS } from "../internal/http-rules.ts";
import { completionOf, Listening, tell, tellAll } from "./completion.ts";
import type {
  ChunkListener,
  Completion,
  CompletionListener,
  Context,
  RecordedResponse,
  StreamBody,
} from "./context.ts";
import { putCookie } from "./cookies.ts";
import type { Delivery, Exchange, GoneListener, Sink } from "./exchange.ts";
import { endWithApp, openEventStream } from "./event-response.ts";
import { checkField, fieldOf, fieldsOf, isContentLength, keepVary, replaceField, withoutFields } from "./headers.ts";
import { RequestReader } from "./request.ts";
import { checkedHead, checkedStatus, lengthOf, respondedAlready, respondedTwice } from "./response-values.ts";
import type { ContextServices } from "./services.ts";
import { eventIdOf, type SseEvent, type SseStream } from "./sse.ts";
import {
  checkHookBody,
  counted,
  dismiss,
  failureOf,
  hold,
  isStreamed,
  observe,
  pump,
  pumpEvents,
  RecordedEvents,
} from "./streaming.ts";

type Body = RecordedResponse["body"];

const RUNNING = 0;
const RECORDED = 1;
const FAILED = 2;
const READY = 3;
const LEFT = 4;
const EVENTS = 5;
const COMMITTED = 6;
const BROKEN = 7;
const FINISHED = 8;

/** What is to be done about an error: map it, cut the response that is under way, or only report it. */
export type Failure = "map" | "cut" | "report";

/** One request and its response. */
export abstract class ResponseRecorder extends RequestReader implements Delivery, GoneListener {
  readonly services: ContextServices;
  readonly startedAt: number = performance.now();
  route: string | undefined = undefined;
  #phase = RUNNING;
  /** Names that `Vary` has in the end, whatever else is set. */
  #vary: string | undefined;
  #status = 200;
  #head: string[] = [];
  #body: Body = undefined;
  /** Has the app set a Content-Length? */
  #hasLength = false;
  #error: unknown = undefined;
  #lastListener: Listening | undefined;
  #onChunk: ChunkListener | undefined;
  #completion: Completion | undefined;
  #abort: AbortController | undefined;
  #isArmed = false;
  #onBroken: ((error: HttpError) => void) | undefined;
  #sent = 0;
  /** Has the network taken all that Content-Length promises? The client has its response then, though its stream goes on. */
  #isWhole: (() => boolean) | undefined;
  #isAborted = false;

  constructor(exchange: Exchange, services: ContextServices, routed: string, isPlain: boolean) {
    super(exchange, services, routed, isPlain);
    this.services = services;
  }

  /** This, as handlers and listeners see it. */
  protected abstract get context(): Context;

  get statusCode(): number {
    return this.#status;
  }

  get responded(): boolean {
    return this.#phase !== RUNNING && this.#phase !== FAILED;
  }

  get committed(): boolean {
    return this.#phase >= EVENTS;
  }

  /** Is the request over? Its listeners have run then. */
  get isOver(): boolean {
    return this.#phase === LEFT || this.#phase === FINISHED;
  }

  get isWatched(): boolean {
    return this.#lastListener !== undefined;
  }

  get signal(): AbortSignal {
    this.arm();
    this.exchange.watch?.();
    const controller = (this.#abort ??= new AbortController());
    if (this.exchange.gone) controller.abort();
    return controller.signal;
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

  status(code: number): this {
    const checked = checkedStatus(code);
    this.#checkOpen();
    this.#status = checked;
    return this;
  }

  onChunk(listener: ChunkListener): this {
    const earlier = this.#onChunk;
    this.#onChunk = earlier === undefined ? listener : (chunk) => (observe(earlier, chunk), listener(chunk));
    return this;
  }

  onComplete(listener: CompletionListener): this {
    if (this.isOver) tell(listener, this.#ended(), this.context, this.services);
    else this.#lastListener = new Listening(listener, this.#lastListener);
    return this;
  }

  /** A response without content. RUNNING ▸ RECORDED, FAILED ▸ READY. @throws Error when one is recorded. */
  recordEmpty(): this {
    this.checkUnrecorded();
    this.#record(undefined);
    return this;
  }

  /** A response behind which the connection leaves HTTP. RUNNING ▸ RECORDED. @throws Error when one is recorded. */
  protected recordSwitch(): void {
    this.checkUnrecorded();
    this.#status = SWITCHING_PROTOCOLS;
    this.#record(undefined);
  }

  /** Forgets what is recorded, but for `head`: RECORDED ▸ RUNNING, READY ▸ FAILED. @throws Error once the head is out. */
  discard(head: string[]): void {
    this.#checkOpen();
    this.dismissStream();
    this.#head = head;
    this.#body = undefined;
    this.#hasLength = false;
    this.#status = 200;
    if (this.#phase === RECORDED) this.#phase = RUNNING;
    else if (this.#phase === READY) this.#phase = FAILED;
  }

  /** The header lines recorded so far without those that `drop` names, for `discard`. */
  headWithout(drop: (lowerCaseName: string) => boolean): string[] {
    return withoutFields(this.#head, drop);
  }

  /** Adds to `Vary` what it said earlier. */
  keepVary(earlier: string | undefined): void {
    keepVary(this.#head, earlier);
  }

  /** The chain is over: RUNNING, RECORDED ▸ READY. False where its outcome counts no more. */
  settle(): boolean {
    if (this.#phase > RECORDED) return false;
    if (this.#phase === RUNNING && this.#status === 200) this.#status = 204;
    this.#phase = READY;
    return true;
  }

  /** An error, of the chain or of a response hook: RUNNING, RECORDED, READY ▸ FAILED where it is to be mapped. */
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

  /** A host responds instead: the phase is COMMITTED from now on, and it tells when that is over. False where none waits. */
  handOver(): boolean {
    if (this.committed || this.exchange.pass?.(this.#head, this) !== true) return false;
    this.dismissStream();
    if (!this.isOver) this.#phase = COMMITTED;
    return true;
  }

  /** Is there a response to be sent? Not once it is out, nor where the client has left. */
  get isReady(): boolean {
    return this.#phase === READY || this.#phase === FAILED;
  }

  /** What is recorded, for a response hook. */
  recorded(): RecordedResponse {
    return { status: this.#status, headers: this.#head, body: this.#body };
  }

  /** What a response hook made of it; dismissed where the client has left. @throws TypeError, RangeError when it is no response. */
  replace({ status, headers, body }: RecordedResponse): void {
    if (!this.isReady) return isStreamed(body) ? dismiss(body) : undefined;
    const checked = status === this.#status ? status : checkedStatus(status);
    const isSameHead = headers === this.#head;
    if (!isSameHead) this.#replaceHead(headers);
    this.#status = checked;
    if (body === this.#body) return;
    checkHookBody(body);
    if (!isStreamed(body)) this.dismissStream();
    else {
      hold(body);
      if (this.#body instanceof RecordedEvents) endWithApp(this.#body, this.services, this, () => this.abort());
    }
    this.#body = body;
    if (isSameHead && this.#hasLength) this.#dropLength(); // It is that of another body.
  }

  /** Sends what is recorded: READY ▸ COMMITTED ▸ FINISHED. Does nothing where there is nothing to be sent. */
  commit(): void {
    if (!this.beginCommit()) return;
    const body = this.#body;
    if (isStreamed(body) && !isWithoutContent(this.#status)) return this.#stream(body);
    if (this.#vary !== undefined) keepVary(this.#head, this.#vary);
    if (this.#hasLength) this.#dropLength();
    this.exchange.respond(this.#status, this.#head, this.#whole(body), this);
  }

  /** READY ▸ COMMITTED. False where there is nothing to be sent. */
  protected beginCommit(): boolean {
    if (this.isReady && this.exchange.gone) this.gone();
    if (!this.isReady) return false;
    this.#phase = COMMITTED;
    return true;
  }

  /** What the recorded stream has failed with already; then it is no response yet, and the error can be one. */
  streamFailure(): unknown {
    return isStreamed(this.#body) ? failureOf(this.#body) : undefined;
  }

  /** Forgets a recorded stream, and tells it that it will not be read. */
  dismissStream(): void {
    const body = this.#body;
    if (!isStreamed(body)) return;
    this.#body = undefined;
    this.inScope(() => dismiss(body));
  }

  /** Notices from now on when the client leaves, and calls `onBroken` when its request breaks off. */
  arm(onBroken?: (error: HttpError) => void): void {
    this.#onBroken ??= onBroken;
    if (this.#isArmed || this.isOver) return;
    this.#isArmed = true;
    this.exchange.onGone(this);
  }

  /** The client has left: too early, or because it has all that it was promised. */
  gone(): void {
    if (this.isOver) return;
    this.abort();
    this.dismissStream();
    if (!this.committed) this.#status = CLIENT_CLOSED_REQUEST;
    this.complete(this.#isWhole?.() !== true);
  }

  /** The rest of the request is malformed or too late: `error` is its response, unless another is on its way. */
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

  /** Aborts the signal, where somebody has asked for it. */
  protected abort(reason?: unknown): void {
    this.inScope(() => this.#abort?.abort(reason));
  }

  /** The response cannot be completed: its connection is cut, or its stream reset. */
  cut(error?: unknown): void {
    this.#error ??= error;
    this.dismissStream();
    this.exchange.cut();
    this.complete(true);
    this.abort();
  }

  /** The request is over: every listener runs, once. */
  complete(aborted: boolean): void {
    if (this.isOver) return;
    this.#phase = this.committed ? FINISHED : LEFT;
    this.#isAborted = aborted;
    const last = this.#lastListener;
    if (last !== undefined) this.inScope(() => tellAll(last, this.#ended(), this.context, this.services));
  }

  #ended(): Completion {
    const of = { startedAt: this.startedAt, error: this.#error, ...this.recorded() };
    return (this.#completion ??= completionOf(of, this.#sent, this.#isAborted));
  }

  #checkOpen(): void {
    if (this.committed) throw respondedAlready(this.context);
  }

  /** @throws Error when a response is recorded, or the head is out. */
  checkUnrecorded(): void {
    this.#checkOpen();
    if (this.#phase === RECORDED || this.#phase === READY) throw respondedTwice(this.context);
  }

  #checkField(name: string, value: string | number): string {
    const text = checkField(name, value);
    this.#checkOpen();
    this.#hasLength ||= isContentLength(name);
    return text;
  }

  /** Adds a cookie's line, in place of an earlier one for the same cookie. */
  protected putCookie(line: string): this {
    this.#checkOpen();
    putCookie(this.#head, line);
    return this;
  }

  #record(body: Body): void {
    this.#body = body;
    if (this.#phase === RUNNING) this.#phase = RECORDED;
    else if (this.#phase === FAILED) this.#phase = READY;
  }

  /** Records a body, of that type unless another is set. RUNNING ▸ RECORDED, FAILED ▸ READY. @throws Error when one is recorded. */
  protected recordBody(contentType: string, body: Body): this {
    // A recorded stream waits for the chain; one behind another response, or behind the end of its request, is dismissed.
    if (isStreamed(body)) {
      (this.responded ? dismiss : hold)(body);
      this.scope = currentScope();
    }
    this.checkUnrecorded();
    if (fieldOf(this.#head, "Content-Type") === undefined) this.#head.push("Content-Type", contentType);
    this.#record(this.isOver ? undefined : body);
    return this;
  }

  #replaceHead(headers: readonly string[]): void {
    this.#head = checkedHead(headers);
    this.#hasLength = fieldOf(this.#head, "Content-Length") !== undefined;
  }

  /** The body that goes out in one write. A response without content tells its stream so. */
  #whole(body: Body): string | Uint8Array | undefined {
    if (!isStreamed(body)) return this.#status === 205 ? undefined : body;
    this.dismissStream();
    return undefined;
  }

  /** The recorded stream: its head now, its body no faster than the client reads. */
  #stream(body: StreamBody): void {
    if (body instanceof RecordedEvents) return void this.#openEvents(body.events);
    const sink = this.#open(this.#promisedLength());
    if (this.method === "HEAD") {
      dismiss(body);
      sink.end();
      return this.complete(this.exchange.gone);
    }
    pump(body, sink, this.signal, this.scope).then(
      () => this.complete(this.exchange.gone),
      (error: unknown) => this.#streamFailed(error),
    );
  }

  /** Sends the head of an event stream while the chain runs: RECORDED ▸ EVENTS, READY ▸ COMMITTED. */
  protected openEvents(): SseStream {
    this.scope = currentScope();
    if (this.#phase === RECORDED) this.#phase = EVENTS;
    else if (this.#phase === READY) this.#phase = COMMITTED;
    return this.#openEvents();
  }

  /** An event stream: the head goes out, and the stream ends with its client and with the app. */
  #openEvents(events?: AsyncIterable<SseEvent | string>): SseStream {
    if (this.#hasLength) this.#dropLength();
    const { stream, over } = openEventStream(this.#open(), {
      signal: this.signal,
      lastEventId: eventIdOf(this.exchange.header("last-event-id")),
      app: this.services,
      isHead: this.method === "HEAD",
      onClosed: () => this.complete(this.exchange.gone),
      onStop: () => this.abort(),
    });
    if (events !== undefined)
      pumpEvents(events, stream, over, this.scope).catch((error: unknown) => this.#streamFailed(error));
    return stream;
  }

  /** The head of a response that follows in pieces. */
  #open(length?: number): Sink {
    if (this.#vary !== undefined) keepVary(this.#head, this.#vary);
    this.arm();
    this.exchange.watch?.();
    const sink = this.exchange.open(this.#status, this.#head, this.method === "HEAD");
    this.#body = undefined;
    const onChunk = this.#onChunk;
    const count = (bytes: number, chunk: string | Uint8Array): void => {
      this.#sent += bytes;
      if (onChunk !== undefined) this.inScope(() => observe(onChunk, chunk));
    };
    this.#isWhole = () => this.#sent === length && Boolean(sink.isOut);
    return counted(sink, count, length);
  }

  /** The Content-Length that the app set for a stream. One that is no length is reported, and left out. */
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

  #streamFailed(error: unknown): void {
    this.#error = error;
    const what = `${this.method} ${this.route ?? this.url} failed while its response was streamed`;
    this.inScope(() => this.services.report(what, error));
    this.cut();
  }
}
