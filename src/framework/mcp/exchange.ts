/**
 * The request of a tool call, as an engine's: it passes through the whole chain of the app, in the same process.
 *
 *   caller's headers and address + the arguments' request ──▶ ToolExchange ──▶ app ──▶ Received: a body, or events
 *
 * A response that is too large, or events that do not end, are broken off, and the route sees a client that has left.
 */
import { LeavingClient } from "../engine/leaving.ts";
import { fieldOf } from "../http/headers.ts";
import type { Delivery, Exchange, Sink } from "../http/exchange.ts";
import { joinedBytes } from "../internal/bytes.ts";
import { ClientGoneError, ContentTooLargeError } from "../internal/errors.ts";
import type { Agent } from "./agents.ts";
import type { CallRequest } from "./arguments.ts";
import type { EventReader } from "./events.ts";

/** The caller of a tool, as its route's chain sees it. */
export interface Caller {
  readonly peer: string | undefined;
  readonly secure: boolean;
  /** The carried headers. */
  readonly headers: readonly (readonly [string, string])[];
  /** Aborts when the agent cancels the call, or has left. */
  readonly signal: AbortSignal;
}

/** The response of a route. */
export interface Received {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | string;
  /** Was its body broken off, because it was too large? */
  readonly isCut: boolean;
}

/** What a call is: found on the context of its request, as its platform. */
export class ToolMark {
  /** The route that may respond: context path + pattern. */
  readonly route: string;
  readonly tool: string;
  readonly agent: Agent;
  /** Was it reported to tools that watch? */
  isTold = false;

  constructor(route: string, tool: string, agent: Agent) {
    this.route = route;
    this.tool = tool;
    this.agent = agent;
  }
}

/** The parts of a call. */
export interface Call {
  readonly method: string;
  readonly request: CallRequest;
  readonly caller: Caller;
  readonly mark: ToolMark;
  /** The longest response, in bytes. */
  readonly maxBytes: number;
  /** Reads events as they come. */
  readonly events: EventReader;
  /** How long it reads them, in milliseconds. */
  readonly eventsMs: number;
}

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);

/** Sends a call through `dispatch`. Rejects when there is no response: its caller has left, or the app broke it off. */
export function sent(call: Call, dispatch: (exchange: Exchange) => void): Promise<Received> {
  return new Promise((resolve, reject) => {
    if (call.caller.signal.aborted) reject(new ClientGoneError());
    else dispatch(new ToolExchange(call, resolve, reject));
  });
}

class ToolExchange extends LeavingClient implements Exchange {
  readonly httpVersion = "1.1";
  readonly method: string;
  readonly target: string;
  readonly platform: readonly unknown[];
  readonly peer: string | undefined;
  readonly secure: boolean;
  readonly #call: Call;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #body: Uint8Array;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (reason: Error) => void;
  readonly #settled: (() => void)[] = [];
  #isOver = false;
  #isRead = false;
  #breakOff: (() => void) | undefined = undefined;

  constructor(call: Call, resolve: (received: Received) => void, reject: (reason: Error) => void) {
    super();
    const { method, request, caller, mark } = call;
    this.method = method;
    this.target = request.target;
    this.platform = [mark];
    this.peer = caller.peer;
    this.secure = caller.secure;
    this.#call = call;
    this.#body = request.body === undefined ? nothing : encoder.encode(request.body);
    this.#headers = headersOf(call, this.#body.length);
    this.#resolve = resolve;
    this.#reject = reject;
    const leave = (): void => this.leave();
    caller.signal.addEventListener("abort", leave, { once: true });
    this.#settled.push(() => caller.signal.removeEventListener("abort", leave));
  }

  get headerCount(): number {
    return this.#headers.size;
  }

  get headerBytes(): number {
    let bytes = this.target.length;
    for (const [name, value] of this.#headers) bytes += name.length + value.length;
    return bytes;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#headers;
  }

  async read(limit: number): Promise<Uint8Array> {
    return this.#taken(limit);
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    const body = this.#taken(limit);
    return new ReadableStream({
      start(controller) {
        if (body.length > 0) controller.enqueue(body);
        controller.close();
      },
    });
  }

  #taken(limit: number): Uint8Array {
    if (this.#isRead) throw new ClientGoneError();
    this.#isRead = true;
    if (this.#body.length > limit) throw new ContentTooLargeError(limit);
    return this.#body;
  }

  respond(status: number, headers: string[], body: string | Uint8Array | undefined, delivery: Delivery): void {
    const whole = body ?? nothing;
    const { maxBytes } = this.#call;
    // A character is three bytes at most.
    const isCounted = typeof whole === "string" && (delivery.isWatched || whole.length * 3 > maxBytes);
    const { length } = isCounted ? encoder.encode(whole) : whole;
    const isCut = length > maxBytes;
    this.#over({ status, headers, body: this.method === "HEAD" || isCut ? nothing : whole, isCut });
    delivery.delivered(length, false);
  }

  open(status: number, headers: string[], bodyless: boolean): Sink {
    const { events, maxBytes } = this.#call;
    const isEvents = !bodyless && fieldOf(headers, "Content-Type")?.startsWith("text/event-stream") === true;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const end = (isCut: boolean): void =>
      this.#over({ status, headers, body: isEvents || isCut ? nothing : joinedBytes(parts, bytes), isCut });
    this.#breakOff = () => end(true);
    const breakOff = (): void => {
      end(!isEvents);
      this.leave();
    };
    if (isEvents) {
      const late = setTimeout(() => events.stop(), this.#call.eventsMs);
      events.onFull = breakOff;
      this.#settled.push(() => clearTimeout(late));
    }
    return {
      bufferedBytes: 0,
      isOut: true,
      write: (chunk) => {
        if (this.#isOver) return false;
        const part = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
        bytes += part.length;
        if (isEvents) events.read(part);
        else if (bytes > maxBytes) breakOff();
        else parts.push(part.slice());
        return !this.#isOver;
      },
      drained: async () => undefined,
      end: () => end(false),
    };
  }

  cut(): void {
    if (this.#breakOff === undefined) this.#fail(new Error("the route's response was broken off"));
    else this.#breakOff();
  }

  override leave(): void {
    super.leave();
    this.#fail(new ClientGoneError());
  }

  #over(received: Received): void {
    if (this.#ends()) this.#resolve(received);
  }

  #fail(reason: Error): void {
    if (this.#ends()) this.#reject(reason);
  }

  /** True for the first call. */
  #ends(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    for (const settle of this.#settled) settle();
    return true;
  }
}

/** The caller's own headers win: an argument cannot replace what an agent's owner has set. */
function headersOf({ request, caller }: Call, length: number): ReadonlyMap<string, string> {
  const headers = new Map(request.headers);
  headers.set("accept", "application/json, */*;q=0.5");
  for (const [name, value] of caller.headers) headers.set(name, value);
  if (request.contentType !== undefined) {
    headers.set("content-type", request.contentType);
    headers.set("content-length", String(length));
  }
  return headers;
}
