/** Bytes over a plain or TLS socket, which no HTTP client would send. */
import { connect, type Socket } from "node:net";
import { setTimeout as later } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { HttpResponse } from "./response.ts";
import { responseFraming, MessageReader, requestFraming, requestLine, statusOf, type Head } from "./message-reader.ts";
import { sent, type Exchange, type Sent } from "./exchange.ts";
import { relayed, type Relay } from "./relay.ts";
import { address, tlsOptions } from "./transport.ts";

/** The responses on one connection. */
export interface RawResponses {
  readonly responses: readonly HttpResponse[];
  /** Why reading stopped: enough responses, the server closed, the timeout, or the size limit. */
  readonly ended: "responses" | "closed" | "timeout" | "too much";
  readonly exchanges: readonly Exchange[];
}

/** What to send and when to stop. */
export interface RawOptions {
  /** Stop after this number of final responses, or by default when the server closes. */
  readonly responses?: number;
  readonly timeoutMs: number;
  /** Close our side after sending. */
  readonly half?: boolean;
  /** Send each byte separately, with a millisecond in between. */
  readonly apart?: boolean;
  /** Accepts an untrusted certificate. */
  readonly insecure?: boolean;
  /** Rewrites the received responses. */
  readonly relay?: Relay | undefined;
  /** Aborts it. */
  readonly signal?: AbortSignal | undefined;
}

/** Raw exchanges are about heads and framing, so a longer response never ends. */
const mostRaw = 1_048_576;

/** Sends `bytes` unchanged and reads responses until `options` says stop. Never rejects. */
export async function rawExchange(base: URL, bytes: string | Buffer, options: RawOptions): Promise<RawResponses> {
  const received = await exchanged(base, bytes, options);
  return options.relay === undefined ? received : throughRelay(options.relay, received, options);
}

/** The responses as rewritten by the relay. Nothing follows a response that it cuts or that is too late. */
async function throughRelay(relay: Relay, received: RawResponses, { timeoutMs }: RawOptions): Promise<RawResponses> {
  const began = performance.now();
  const exchanges: Exchange[] = [];
  const responses: HttpResponse[] = [];
  for (const [at, exchange] of received.exchanges.entries()) {
    const given = received.responses[at];
    if (given === undefined) break;
    const { response, whole } = await relayed(relay, exchange, given);
    if (response === undefined || !whole) return { responses, exchanges, ended: "closed" };
    if (performance.now() - began > timeoutMs) return { responses, exchanges, ended: "timeout" };
    responses.push(response);
    exchanges.push({ ...exchange, status: response.status, headers: response.headers, body: response.text });
  }
  return { responses, exchanges, ended: received.ended };
}

function exchanged(base: URL, bytes: string | Buffer, options: RawOptions): Promise<RawResponses> {
  const requests = readRequests(Buffer.from(bytes));
  const responses: HttpResponse[] = [];
  const exchanges: Exchange[] = [];
  return new Promise((resolve) => {
    const socket = opened(base, options.insecure ?? false);
    const stop = (ended: RawResponses["ended"]): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", giveUp);
      socket.destroy();
      resolve({ responses, ended, exchanges });
    };
    const timer = setTimeout(() => stop("timeout"), options.timeoutMs);
    const giveUp = (): void => stop("timeout");
    options.signal?.addEventListener("abort", giveUp);
    if (options.signal?.aborted === true) giveUp();
    let size = 0;
    const take = (response: HttpResponse): void => {
      const request = requests[responses.length] ?? sent("", "");
      responses.push(response);
      exchanges.push({ sent: request, status: response.status, headers: response.headers, body: response.text });
      if (responses.length === options.responses) stop("responses");
    };
    const reader = responseReader(() => requests[responses.length]?.method ?? "", take);
    socket.on("error", () => stop("closed"));
    socket.on("close", () => {
      reader.finish();
      stop("closed");
    });
    socket.on("data", (data: Buffer) => {
      size += data.length;
      if (size > mostRaw) stop("too much");
      else reader.push(data);
    });
    const writing = options.apart === true ? writeApart(socket, Buffer.from(bytes)) : socket.write(bytes);
    if (options.half === true) Promise.resolve(writing).then(() => socket.end(), stop);
  });
}

/** Sends each byte in a separate packet, with time for the other side to read it. */
async function writeApart(socket: Socket, bytes: Buffer): Promise<void> {
  socket.setNoDelay();
  for (const byte of bytes) {
    await later(1);
    if (socket.writable) socket.write(Uint8Array.of(byte));
  }
}

function opened(base: URL, insecure: boolean): Socket {
  if (base.protocol !== "https:") return connect(address(base));
  return connectTls({ ...address(base), ...tlsOptions(base, insecure), ALPNProtocols: ["http/1.1"] });
}

/** Is it a final response? 101 is the last one of its connection. */
const isFinal = (status: number): boolean => status >= 200 || status === 101;

/** Collects whole responses and skips interim ones (1xx). */
function responseReader(method: () => string, take: (response: HttpResponse) => void): MessageReader {
  let head: Head | undefined;
  let body: Buffer[] = [];
  return new MessageReader({
    head(found) {
      head = found;
      body = [];
      return responseFraming(found, method());
    },
    body: (data) => body.push(data),
    end() {
      const status = statusOf(head?.start ?? "");
      if (head && isFinal(status)) take(new HttpResponse(status, head.headers, Buffer.concat(body)));
    },
  });
}

/** The requests in the bytes, up to the first unreadable one. */
export function readRequests(bytes: Buffer): readonly Sent[] {
  const found: Sent[] = [];
  let body: Buffer[] = [];
  const reader = new MessageReader({
    head(head) {
      const { method, target } = requestLine(head.start);
      found.push(sent(method, target, head.headers));
      body = [];
      return requestFraming(head);
    },
    body: (data) => body.push(data),
    end() {
      const last = found.pop();
      if (last) found.push(sent(last.method, last.target, last.headers, Buffer.concat(body)));
    },
  });
  reader.push(bytes);
  return found;
}
