/**
 * A probe is a case's only way to the subject. It keeps every exchange, so that a failure prints what was
 * sent and what came back, and it turns every fault of the subject's into a `Violation`.
 */
import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Static, type TSchema, Type } from "typebox";
import { AccessLogLine } from "../../spec/log.ts";
import { MetricsSnapshot } from "../../spec/metrics.ts";
import type { checkModes, SubjectEvidence } from "../../spec/subject.ts";
import { ServerSpan } from "../../spec/tracing.ts";
import { checked } from "./checked.ts";
import { HttpResponse, type HeaderLines } from "./response.ts";
import { sent, type Exchange, type StreamStep } from "./exchange.ts";
import { rawExchange, type RawResponses, type RawOptions } from "./raw.ts";
import { relayed, type Relay } from "./relay.ts";
import { misfit } from "./shape.ts";
import { EventStream } from "./stream.ts";
import { http1, type Incoming, type Opening, type Outgoing, type Transport } from "./transport.ts";
import { Violation, within } from "./violation.ts";

/** What the subject's middleware really emitted since the last reset. */
export type Evidence = Static<typeof SubjectEvidence>;

/** Evidence as far as it can be told without looking at what the middleware emitted. */
const AnyEvidence = Type.Object({
  logs: Type.Array(Type.Unknown()),
  spans: Type.Array(Type.Unknown()),
  metrics: Type.Unknown(),
});

/** A line of the access log. */
export type LogLine = Evidence["logs"][number];

/** A finished span. */
export type Span = Evidence["spans"][number];

/** What goes with a request. `json` sets the body and its Content-Type; a header may be a list of lines. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  readonly json?: unknown;
}

/** A request on its way. */
export interface Pending {
  /** The status, as soon as the head is there. */
  head(): Promise<number>;
  /** Closes the connection, as a client does that has lost interest. */
  leave(): void;
}

/** A response, and whether all of it came. */
interface Whole {
  readonly response: HttpResponse;
  readonly whole: boolean;
}

/** How a probe talks, and how long it waits for anything. */
export interface ProbeOptions {
  readonly timeoutMs?: number;
  readonly transport?: Transport;
  /** Accepts a certificate of no trusted authority. */
  readonly insecure?: boolean;
  /** Rewrites what is received: as a broken subject would have sent it. */
  readonly relay?: Relay | undefined;
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
  readonly #streams: EventStream[] = [];
  readonly #pending: AbortController[] = [];

  constructor(base: URL, { timeoutMs = 5_000, transport = http1, insecure = false, relay }: ProbeOptions = {}) {
    this.base = base;
    this.timeoutMs = timeoutMs;
    this.#transport = transport;
    this.#insecure = insecure;
    this.#relay = relay;
  }

  /** Can it send bytes as they are? Over HTTP/2 it cannot. */
  get speaksHttp1(): boolean {
    return this.#transport === http1;
  }

  /** A word that no other request carries. */
  token(): string {
    return randomBytes(8).toString("hex");
  }

  /** Sends a request and reads the response whole. */
  async send(method: string, target: string, options: SendOptions = {}): Promise<HttpResponse> {
    const outgoing = this.#outgoing(method, target, options);
    const incoming = await this.#open(outgoing);
    const bytes = await this.#patient(outgoing, buffer(incoming.body));
    incoming.close();
    const { response, whole } = await this.#keep(outgoing, new HttpResponse(incoming.status, incoming.headers, bytes));
    if (!whole) throw new Violation(`${method} ${target}: the response was cut short`);
    return response;
  }

  /** Sends a request and reads what comes of its response. `whole` is false when it was cut short. */
  async sendToEnd(method: string, target: string): Promise<Whole> {
    const outgoing = this.#outgoing(method, target, {});
    const incoming = await this.#open(outgoing);
    const chunks: Buffer[] = [];
    const whole = await this.#patient(outgoing, readInto(chunks, incoming));
    incoming.close();
    return this.#keep(outgoing, new HttpResponse(incoming.status, incoming.headers, Buffer.concat(chunks)), whole);
  }

  /** Sends a request and does not wait for its response. It is let go when the case is over, if not before. */
  begin(method: string, target: string, options: SendOptions = {}): Pending {
    const outgoing = this.#outgoing(method, target, options);
    const giveUp = new AbortController();
    this.#pending.push(giveUp);
    const head = this.#transport(this.base, outgoing, this.#opening(giveUp));
    head.catch(() => undefined);
    this.exchanges.push(withoutResponse(outgoing));
    return { head: async () => (await this.#patient(outgoing, head)).status, leave: () => giveUp.abort() };
  }

  /** Sends bytes as they are over a socket of its own; see `RawOptions` for when it stops. */
  async raw(bytes: string | Buffer, options: Partial<RawOptions> = {}): Promise<RawResponses> {
    const result = await rawExchange(this.base, bytes, {
      timeoutMs: this.timeoutMs,
      insecure: this.#insecure,
      relay: this.#relay,
      ...options,
    });
    this.exchanges.push(...result.exchanges);
    if (result.exchanges.length === 0)
      this.exchanges.push(withoutResponse(toOutgoing("", "", { body: Buffer.from(bytes) })));
    return result;
  }

  /** Opens a stream of Server-Sent Events. It is closed when the case is over. */
  async stream(target: string, options: SendOptions = {}): Promise<EventStream> {
    const outgoing = this.#outgoing("GET", target, {
      ...options,
      headers: { accept: "text/event-stream", ...options.headers },
    });
    const incoming = await this.#open(outgoing);
    const head = new HttpResponse(incoming.status, incoming.headers, Buffer.alloc(0));
    const { response } = await this.#keep(outgoing, head);
    const request = this.exchanges.at(-1)?.sent ?? sent("GET", target);
    const stream = new EventStream(response, incoming, {
      timeoutMs: this.timeoutMs,
      relay: this.#relay,
      sent: request,
      seen: (step) => this.steps.push(step),
    });
    this.#streams.push(stream);
    return stream;
  }

  /** The body as JSON of this shape; a Violation when it is not JSON or does not fit. */
  json<T extends TSchema>(schema: T, response: HttpResponse): Static<T> {
    return this.shape("the body", schema, parse("the body", response.text));
  }

  /** The value, which must fit the shape. */
  shape<T extends TSchema>(what: string, schema: T, value: unknown): Static<T> {
    const problem = misfit(schema, value);
    if (problem !== undefined) throw new Violation(`${what} does not fit its shape: ${problem}`);
    return value as Static<T>;
  }

  /** Text as JSON of this shape. */
  parse<T extends TSchema>(what: string, schema: T, text: string): Static<T> {
    return this.shape(what, schema, parse(what, text));
  }

  /** Everything the subject's middleware emitted since the last reset; what is read of it must be of its shape. */
  async evidence(): Promise<Evidence> {
    const { logs, spans, metrics } = this.json(AnyEvidence, await this.send("GET", "/__subject/evidence"));
    return {
      logs: logs.map((line) => checked("a log line", AccessLogLine, line)),
      spans: spans.map((span) => checked("a span", ServerSpan, span)),
      metrics: checked("the snapshot of the metrics", MetricsSnapshot, metrics),
    };
  }

  /** Sets the outcome of a health check; the subject must accept it. */
  async check(name: "db" | "disk", outcome: (typeof checkModes)[number]): Promise<void> {
    const { status } = await this.send("PUT", `/__subject/checks/${name}`, { json: outcome });
    if (status >= 300) throw new Violation(`PUT /__subject/checks/${name} got ${status}`);
  }

  /** Forgets evidence and traces. */
  async reset(): Promise<void> {
    const { status } = await this.send("POST", "/__subject/reset");
    if (status >= 300) throw new Violation(`POST /__subject/reset got ${status}`);
  }

  /** Reads again and again until there is a value; a Violation that names `what` when there is none in time. */
  async eventually<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + this.timeoutMs;
    for (;;) {
      const value = await read();
      if (value !== undefined) return value;
      if (performance.now() > end) throw new Violation(`${what} did not come about within ${this.timeoutMs} ms`);
      await setTimeout(5);
    }
  }

  /** The one log line of the request that `isIt` accepts, as soon as it is there. */
  async logOf(isIt: (line: LogLine) => boolean): Promise<LogLine> {
    return this.eventually("its log line", async () => (await this.evidence()).logs.find(isIt));
  }

  /** Both must be equal, deeply. */
  equal(what: string, actual: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(actual, expected))
      throw new Violation(`${what} is ${show(actual)}, expected ${show(expected)}`);
  }

  /** The condition must hold; `seen` is shown when it does not. */
  ok(what: string, condition: boolean, seen?: unknown): void {
    if (!condition)
      throw new Violation(seen === undefined ? `not so: ${what}` : `not so: ${what}; it is ${show(seen)}`);
  }

  /** Closes what the case left open. */
  close(): void {
    for (const stream of this.#streams) stream.close();
    for (const pending of this.#pending) pending.abort();
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

  /** A request as it is sent: with the Host that a client adds by itself. */
  #outgoing(method: string, target: string, options: SendOptions): Outgoing {
    const outgoing = toOutgoing(method, target, options);
    if (outgoing.headers.some(([name]) => name.toLowerCase() === "host")) return outgoing;
    return { ...outgoing, headers: [["host", this.base.host], ...outgoing.headers] };
  }

  #opening({ signal }: AbortController): Opening {
    return { signal, insecure: this.#insecure };
  }

  /** Waits no longer than it should; every failure to get a response is the subject's. */
  async #patient<T>(outgoing: Outgoing, promise: Promise<T>): Promise<T> {
    const { method, target } = outgoing;
    try {
      return await within(
        promise,
        this.timeoutMs,
        () => new Violation(`no whole response within ${this.timeoutMs} ms`),
      );
    } catch (error) {
      this.exchanges.push(withoutResponse(outgoing));
      if (error instanceof TypeError) throw error;
      throw new Violation(`${method} ${target}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Notes what passed, as the relay lets it through. */
  async #keep(outgoing: Outgoing, received: HttpResponse, complete = true): Promise<Whole> {
    const { status, headers, text: body } = received;
    const exchange: Exchange = { ...withoutResponse(outgoing), status, headers, body, ...(complete ? {} : truncated) };
    if (this.#relay === undefined) {
      this.exchanges.push(exchange);
      return { response: received, whole: complete };
    }
    const { response, whole } = await this.#patient(outgoing, relayed(this.#relay, exchange, received));
    if (response === undefined) throw this.#closed(outgoing);
    const seen = isBodiless(outgoing, response)
      ? new HttpResponse(response.status, response.headers, noBytes)
      : response;
    this.exchanges.push({ ...exchange, status: seen.status, headers: seen.headers, body: seen.text });
    return { response: seen, whole };
  }

  #closed(outgoing: Outgoing): Violation {
    this.exchanges.push(withoutResponse(outgoing));
    return new Violation(`${outgoing.method} ${outgoing.target}: the connection was closed`);
  }
}

const truncated = { cut: "truncate" } as const;
const noBytes = Buffer.alloc(0);

/** Does HTTP forbid the body, so that no client reads one? */
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
  return {
    sent: sent(method, target, headers, body === undefined ? "" : String(body)),
    status: 0,
    headers: [],
    body: "",
  };
}

/** Reads what comes of a body; resolves with whether that was all of it. */
async function readInto(chunks: Buffer[], { body }: Incoming): Promise<boolean> {
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer);
    return true;
  } catch {
    return false;
  }
}

function parse(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Violation(`${what} is not JSON: ${show(text.slice(0, 80))}`);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
