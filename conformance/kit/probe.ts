/**
 * A probe is a case's only way to the subject. It keeps every exchange and which of them an assertion has read, so a failure
 * prints the requests and the responses. It turns every fault of the subject into a `Violation`.
 *
 *   response ──▶ read by the case ──▶ equal(…) ──┬─ held: forgotten
 *                                                └─ not:  these are the exchanges that failed
 *
 * Nothing outlives it: for any response an exchange ends after `timeoutMs`, and `close()` ends all of them.
 */
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Type, type Static, type TSchema } from "typebox";
import { AccessLogLine } from "../../spec/log.ts";
import { MetricsSnapshot } from "../../spec/metrics.ts";
import type { checkModes } from "../../spec/subject.ts";
import { ServerSpan } from "../../spec/tracing.ts";
import { compare, show } from "./comparison.ts";
import { checked } from "./checked.ts";
import { HttpResponse, type HeaderLines } from "./response.ts";
import { isObservation, sent, short, type Exchange, type StreamStep } from "./exchange.ts";
import { rawExchange, readRequests, type RawResponses, type RawOptions } from "./raw.ts";
import { relayed, rewrittenAtMost, type Relay } from "./relay.ts";
import { misfit } from "./shape.ts";
import { EventStream } from "./stream.ts";
import { http1, mostBytes, type Incoming, type Opening, type Outgoing, type Transport } from "./transport.ts";
import { Violation, within } from "./violation.ts";

/** A line of the access log. */
export type LogLine = Static<typeof AccessLogLine>;

/** A finished span. */
export type Span = Static<typeof ServerSpan>;

/** The snapshot of the collector. */
export type Metrics = Static<typeof MetricsSnapshot>;

/** One of them before its shape is checked. */
export type Unread<T> = { readonly [K in keyof T]?: unknown };

const Logs = Type.Object({ logs: Type.Array(Type.Unsafe<Unread<LogLine>>(Type.Object({}))) });
const Spans = Type.Object({ spans: Type.Array(Type.Unsafe<Unread<Span>>(Type.Object({}))) });
const Counted = Type.Object({ metrics: Type.Unsafe<Unread<Metrics>>(Type.Object({})) });

/** Options of a request. `json` sets the body and its Content-Type. A header may be a list of lines. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  readonly json?: unknown;
}

/** A request in progress. */
export interface Pending {
  /** The status, as soon as the head has arrived. */
  head(): Promise<number>;
  /** Closes the connection, like a client that gives up. */
  leave(): void;
}

/** A response, and whether it is complete. */
interface Whole {
  readonly response: HttpResponse;
  readonly whole: boolean;
}

/** The protocol of a probe, and the timeout of each wait. A whole response is one wait. */
export interface ProbeOptions {
  readonly timeoutMs?: number;
  readonly transport?: Transport;
  /** Accepts an untrusted certificate. */
  readonly insecure?: boolean;
  /** Rewrites the received messages, as if a broken subject had sent them. */
  readonly relay?: Relay | undefined;
  /** Ends everything in progress. */
  readonly signal?: AbortSignal | undefined;
}

/** Talks to the subject under test for one case. */
export class Probe {
  readonly base: URL;
  readonly timeoutMs: number;
  readonly exchanges: Exchange[] = [];
  readonly steps: StreamStep[] = [];
  readonly #transport: Transport;
  readonly #insecure: boolean;
  readonly #relay: Relay | undefined;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  /** The exchanges read since the last successful assertion, and those read before it. */
  #read = new Set<Exchange>();
  #readBefore: ReadonlySet<Exchange> = new Set();

  constructor(base: URL, { timeoutMs = 5_000, transport = http1, insecure = false, relay, signal }: ProbeOptions = {}) {
    this.base = base;
    this.timeoutMs = timeoutMs;
    this.#transport = transport;
    this.#insecure = insecure;
    this.#relay = relay;
    this.#signal = signal === undefined ? this.#over.signal : AbortSignal.any([signal, this.#over.signal]);
  }

  /** Can it send raw bytes? Over HTTP/2 it cannot. */
  get speaksHttp1(): boolean {
    return this.#transport === http1;
  }

  /** A word that no other request contains. */
  token(): string {
    return randomBytes(8).toString("hex");
  }

  /** Sends a request and reads the whole response. */
  async send(method: string, target: string, options: SendOptions = {}): Promise<HttpResponse> {
    const { response, whole } = await this.sendToEnd(method, target, options);
    if (!whole) throw new Violation(`${method} ${short(target, 100)}: the response was cut short`);
    return response;
  }

  /** Sends a request and reads its response. `whole` is false if the response was cut short. */
  async sendToEnd(method: string, target: string, options: SendOptions = {}): Promise<Whole> {
    const outgoing = this.#outgoing(method, target, options);
    const late = performance.now() + this.timeoutMs;
    const { status, headers, body, close } = await this.#open(outgoing);
    const chunks: Buffer[] = [];
    try {
      const whole = await this.#patient(outgoing, readInto(chunks, body), {
        ms: Math.max(1, late - performance.now()),
        begun: () => ({ status, headers, body: String(chunks[0]?.subarray(0, 1_000) ?? ""), ...truncated }),
      });
      return await this.#keep(outgoing, new HttpResponse(status, headers, Buffer.concat(chunks)), whole);
    } finally {
      close();
    }
  }

  /** Sends a request without waiting for its response. It is closed at the end of the case at the latest. */
  begin(method: string, target: string, options: SendOptions = {}): Pending {
    const outgoing = this.#outgoing(method, target, options);
    const giveUp = new AbortController();
    const head = this.#transport(this.base, outgoing, this.#opening(giveUp));
    head.catch(() => undefined);
    this.exchanges.push(withoutResponse(outgoing));
    return { head: async () => (await this.#patient(outgoing, head)).status, leave: () => giveUp.abort() };
  }

  /** Sends raw bytes over a separate socket. See `RawOptions` for when it stops. */
  async raw(bytes: string | Buffer, options: Partial<RawOptions> = {}): Promise<RawResponses> {
    const result = await rawExchange(this.base, bytes, {
      timeoutMs: this.timeoutMs,
      insecure: this.#insecure,
      relay: this.#relay,
      signal: this.#signal,
      ...options,
    });
    this.exchanges.push(...result.exchanges);
    if (result.exchanges.length === 0) {
      const unread = withoutResponse(toOutgoing("", "", { body: Buffer.from(bytes) }));
      this.#note({ ...unread, sent: readRequests(Buffer.from(bytes))[0] ?? unread.sent });
    }
    return { ...result, responses: result.responses.map((found, at) => this.#readable(found, result.exchanges[at])) };
  }

  /** Opens a stream of Server-Sent Events. It is closed at the end of the case. */
  async stream(target: string, options: SendOptions = {}): Promise<EventStream> {
    const outgoing = this.#outgoing("GET", target, {
      ...options,
      headers: { accept: "text/event-stream", ...options.headers },
    });
    const incoming = await this.#open(outgoing);
    const head = new HttpResponse(incoming.status, incoming.headers, Buffer.alloc(0));
    const { response } = await this.#keep(outgoing, head);
    const exchange = this.exchanges.at(-1);
    return new EventStream(response, incoming, {
      timeoutMs: this.timeoutMs,
      relay: this.#relay,
      sent: exchange?.sent ?? sent("GET", target),
      seen: (step) => this.steps.push(step),
      read: () => exchange !== undefined && this.#read.add(exchange),
    });
  }

  /** The body as JSON of this shape. Throws a Violation if it is not JSON or does not match. */
  json<T extends TSchema>(schema: T, response: HttpResponse): Static<T> {
    return this.shape("the body", schema, parse("the body", response.text));
  }

  /** The value, which must match the shape. */
  shape<T extends TSchema>(what: string, schema: T, value: unknown): Static<T> {
    const problem = misfit(schema, value);
    if (problem !== undefined) throw new Violation(`${what} does not fit its shape: ${problem}`);
    return value as Static<T>;
  }

  /** Text as JSON of this shape. */
  parse<T extends TSchema>(what: string, schema: T, text: string): Static<T> {
    return this.shape(what, schema, parse(what, text));
  }

  /**
   * The lines that the subject has logged since the last reset and that `isIt` accepts, in order. Only those are checked
   * against their shape, here and below, so that a case depends only on its own evidence.
   */
  async logs(isIt: (line: Unread<LogLine>) => boolean): Promise<readonly LogLine[]> {
    const { logs } = await this.#evidence(Logs);
    return logs.filter(isIt).map((line) => checked("a log line", AccessLogLine, line));
  }

  /** The finished spans that `isIt` accepts, in order. */
  async spans(isIt: (attributes: Readonly<Record<string, unknown>>) => boolean): Promise<readonly Span[]> {
    const { spans } = await this.#evidence(Spans);
    const mine = spans.filter(({ attributes }) => isIt((attributes ?? {}) as Readonly<Record<string, unknown>>));
    return mine.map((span) => checked("a span", ServerSpan, span));
  }

  /** The collector's snapshot. */
  async metrics(): Promise<Metrics> {
    return checked("the snapshot", MetricsSnapshot, (await this.#evidence(Counted)).metrics);
  }

  /** Waits until the subject has begun a request. Only its metrics show that. Without them it waits half a second. */
  async underWay(): Promise<void> {
    const end = performance.now() + 500;
    const isBegun = async (): Promise<boolean> => Number((await this.#evidence(Counted)).metrics.activeRequests) > 0;
    while (!(await isBegun()) && performance.now() < end) await setTimeout(5);
  }

  /** Sets the outcome of a health check. The subject must accept it. */
  async check(name: "db" | "disk", outcome: (typeof checkModes)[number]): Promise<void> {
    const { status } = await this.send("PUT", `/__subject/checks/${name}`, { json: outcome });
    if (status >= 300) throw new Violation(`PUT /__subject/checks/${name} got ${status}`);
  }

  /** Forgets evidence and traces. */
  async reset(): Promise<void> {
    const { status } = await this.send("POST", "/__subject/reset");
    if (status >= 300) throw new Violation(`POST /__subject/reset got ${status}`);
  }

  /** Reads repeatedly until there is a value. Throws a Violation that names `what` if there is none in time. */
  async eventually<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + this.timeoutMs;
    for (;;) {
      const value = await read();
      if (value !== undefined) return value;
      if (performance.now() > end) throw new Violation(`${what} did not come about within ${this.timeoutMs} ms`);
      await setTimeout(5);
    }
  }

  /** The first log line that `isIt` accepts, as soon as it appears. */
  async logOf(isIt: (line: Unread<LogLine>) => boolean): Promise<LogLine> {
    return this.eventually("its log line", async () => (await this.logs(isIt))[0]);
  }

  /** Both must be deeply equal. */
  equal(what: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return this.#held();
    const { comparison, failed } = compare(what, actual, expected, [...this.#read]);
    if (failed.length > 0) this.#read = new Set(failed);
    throw new Violation(`${what} is ${show(actual)}, expected ${show(expected)}`, { comparison });
  }

  /** The condition must be true. Otherwise `seen` is shown. */
  ok(what: string, condition: boolean, seen?: unknown): void {
    if (condition) return this.#held();
    throw new Violation(seen === undefined ? `not so: ${what}` : `not so: ${what}; it is ${show(seen)}`);
  }

  /** Everything so far is correct: a later failure is about later exchanges. */
  passed(): void {
    this.#read = new Set();
    this.#readBefore = this.#read;
  }

  /**
   * The exchanges of the failed assertion: those that it read. If these only observe, the last exchange before them too, since
   * that is what they observe.
   */
  get failed(): readonly Exchange[] {
    const read = [...(this.#read.size > 0 ? this.#read : this.#readBefore)];
    const told = read.filter((exchange) => !isObservation(exchange));
    if (told.length > 0) return told;
    const observed = this.exchanges.findLast((exchange) => !isObservation(exchange));
    return [...(observed === undefined ? [] : [observed]), ...read.slice(-1)];
  }

  /** Closes what the case left open, and immediately closes what it opens later. */
  close(): void {
    this.#over.abort();
  }

  async #evidence<T extends TSchema>(schema: T): Promise<Static<T>> {
    return this.json(schema, await this.send("GET", "/__subject/evidence"));
  }

  async #open(outgoing: Outgoing): Promise<Incoming> {
    const giveUp = new AbortController();
    const opening = this.#transport(this.base, outgoing, this.#opening(giveUp));
    try {
      return await this.#patient(outgoing, opening);
    } catch (error) {
      giveUp.abort();
      throw error;
    }
  }

  /** The request with the Host that a client adds on its own. */
  #outgoing(method: string, target: string, options: SendOptions): Outgoing {
    const outgoing = toOutgoing(method, target, options);
    if (outgoing.headers.some(([name]) => name.toLowerCase() === "host")) return outgoing;
    return { ...outgoing, headers: [["host", this.base.host], ...outgoing.headers] };
  }

  #opening({ signal }: AbortController): Opening {
    return { signal: AbortSignal.any([signal, this.#signal]), insecure: this.#insecure };
  }

  /** Waits with the timeout. Every failure to get a response is the subject's. */
  async #patient<T>(
    outgoing: Outgoing,
    promise: Promise<T>,
    { ms = this.timeoutMs, begun }: Patience = {},
  ): Promise<T> {
    const { method, target } = outgoing;
    try {
      return await within(promise, ms, () => new Violation(`no whole response within ${this.timeoutMs} ms`));
    } catch (error) {
      this.#note({ ...withoutResponse(outgoing), ...begun?.() });
      if (error instanceof TypeError) throw error;
      throw new Violation(`${method} ${short(target, 100)}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Keeps an exchange that failed without anything to read. */
  #note(exchange: Exchange): void {
    this.exchanges.push(exchange);
    this.#read.add(exchange);
  }

  /** The response. Reading it is recorded. */
  #readable({ status, headers, bytes }: HttpResponse, exchange: Exchange | undefined): HttpResponse {
    return new HttpResponse(status, headers, bytes, () => exchange !== undefined && this.#read.add(exchange));
  }

  /** An assertion has succeeded, so the exchanges that it read have not failed. */
  #held(): void {
    if (this.#read.size > 0) this.#readBefore = this.#read;
    this.#read = new Set();
  }

  /** Keeps the exchange, as rewritten by the relay. */
  async #keep(outgoing: Outgoing, received: HttpResponse, complete = true): Promise<Whole> {
    const { status, headers } = received;
    const body = kept(received);
    const passedBefore = { earlier: this.#earlier(outgoing), ...(complete ? {} : truncated) };
    const exchange: Exchange = { ...withoutResponse(outgoing), status, headers, body, ...passedBefore };
    if (this.#relay === undefined) {
      this.exchanges.push(exchange);
      return { response: this.#readable(received, exchange), whole: complete };
    }
    const { response, whole } = await this.#patient(outgoing, relayed(this.#relay, exchange, received));
    if (response === undefined) throw this.#closed(outgoing);
    const seen = isBodiless(outgoing, response)
      ? new HttpResponse(response.status, response.headers, noBytes)
      : response;
    const passed = { ...exchange, status: seen.status, headers: seen.headers, body: kept(seen) };
    this.exchanges.push(passed);
    return { response: this.#readable(seen, passed), whole };
  }

  /** The number of earlier responses to that method and path. */
  #earlier({ method, target }: Outgoing): number {
    const { path } = sent(method, target);
    return this.exchanges.filter((one) => one.status > 0 && one.sent.path === path && one.sent.method === method)
      .length;
  }

  #closed(outgoing: Outgoing): Violation {
    this.#note(withoutResponse(outgoing));
    return new Violation(`${outgoing.method} ${outgoing.target}: the connection was closed`);
  }
}

/** The timeout, and what had arrived by then. */
interface Patience {
  readonly ms?: number;
  readonly begun?: () => Partial<Exchange>;
}

/** The body for the report. Of an unmodified body only the beginning is kept, since many large ones would fill the memory. */
function kept(response: HttpResponse): string {
  const { bytes } = response;
  if (bytes.length <= rewrittenAtMost) return response.text;
  return `${bytes.toString("utf8", 0, 100)}… (${bytes.length} bytes)`;
}

const truncated = { cut: "truncate" } as const;
const noBytes = Buffer.alloc(0);

/** Does HTTP forbid the body, so that clients read none? */
function isBodiless({ method }: Outgoing, { status }: HttpResponse): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

function toOutgoing(method: string, target: string, { headers = {}, body, json }: SendOptions): Outgoing {
  const lines: HeaderLines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((line) => [name, line] as const),
  );
  if (json === undefined) return { method, target, headers: lines, body };
  const typed = lines.some(([name]) => name.toLowerCase() === "content-type");
  const type: HeaderLines = typed ? [] : [["content-type", "application/json"]];
  return { method, target, headers: [...lines, ...type], body: JSON.stringify(json) };
}

function withoutResponse({ method, target, headers, body }: Outgoing): Exchange {
  return { sent: sent(method, target, headers, body), status: 0, headers: [], body: "" };
}

/** Reads a body. Resolves with whether it is complete. @throws Violation if it is too large */
async function readInto(chunks: Buffer[], body: Readable): Promise<boolean> {
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > mostBytes) break;
      chunks.push(chunk);
    }
  } catch {
    return false;
  }
  if (size > mostBytes) throw new Violation(`more than ${mostBytes / 1_048_576} MiB came`);
  return true;
}

function parse(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Violation(`${what} is not JSON: ${show(text.slice(0, 80))}`);
  }
}
