/**
 * Splits one side of an HTTP/1.1 connection into messages, independent of how the bytes are split.
 *
 *   push(bytes) ──▶ head ──▶ body (none | length | chunked | until the end) ──▶ end ──▶ the next head
 *
 * It reads only framing and judges nothing, since requests and responses under test are often wrong on purpose.
 * RFC 9112 sections 2, 6 and 7.
 */
import { type HeaderLines } from "./response.ts";

/** A start line and its headers. `bytes` is the raw head, including the empty line. */
export interface Head {
  readonly start: string;
  readonly headers: HeaderLines;
  readonly bytes: Buffer;
}

/** How the end of a body is found. */
export type Framing = "none" | "chunked" | "close" | { readonly length: number };

/** The events of a reader. `raw` is the data on the wire, `data` the same without chunk framing. */
export interface MessageEvents {
  /** A head is complete. Returns the framing of its body. */
  head(head: Head): Framing;
  body(data: Buffer, raw: Buffer): void;
  end(): void;
}

type State = "head" | "length" | "chunk-size" | "chunk-data" | "trailer" | "close";

/** Takes bytes, reports messages. */
export class MessageReader {
  readonly #events: MessageEvents;
  #rest: Buffer = Buffer.alloc(0);
  #state: State = "head";
  #left = 0;

  constructor(events: MessageEvents) {
    this.#events = events;
  }

  /** Has a message begun but not ended? */
  get midMessage(): boolean {
    return this.#state !== "head" || this.#rest.length > 0;
  }

  push(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length > 0 && this.#step());
  }

  /** The connection has ended, and with it a body that lasts until then. */
  finish(): void {
    if (this.#state === "close") this.#over();
  }

  /** One step of the state machine. False when it needs more bytes. */
  #step(): boolean {
    if (this.#state === "head") return this.#head();
    if (this.#state === "chunk-size") return this.#chunkSize();
    if (this.#state === "trailer") return this.#trailer();
    return this.#data();
  }

  #head(): boolean {
    const at = this.#rest.indexOf("\r\n\r\n");
    if (at < 0) return false;
    const bytes = this.#take(at + 4);
    const [start = "", ...lines] = bytes.subarray(0, at).toString("latin1").split("\r\n");
    const framing = this.#events.head({ start, headers: lines.map(toPair), bytes });
    this.#begin(framing);
    return true;
  }

  #begin(framing: Framing): void {
    if (framing === "none" || (typeof framing === "object" && framing.length === 0)) return this.#over();
    if (framing === "chunked") this.#state = "chunk-size";
    else if (framing === "close") this.#state = "close";
    else {
      this.#state = "length";
      this.#left = framing.length;
    }
  }

  #chunkSize(): boolean {
    const at = this.#rest.indexOf("\r\n");
    if (at < 0) return false;
    const line = this.#take(at + 2);
    const size = Number.parseInt(line.toString("latin1"), 16);
    this.#events.body(Buffer.alloc(0), line);
    this.#left = size + 2;
    this.#state = size > 0 ? "chunk-data" : "trailer";
    return true;
  }

  #trailer(): boolean {
    const at = this.#rest.indexOf("\r\n");
    if (at < 0) return false;
    this.#events.body(Buffer.alloc(0), this.#take(at + 2));
    if (at === 0) this.#over();
    return true;
  }

  #data(): boolean {
    if (this.#state === "close") {
      const raw = this.#take(this.#rest.length);
      this.#events.body(raw, raw);
      return false;
    }
    const chunked = this.#state === "chunk-data";
    const raw = this.#take(Math.min(this.#left, this.#rest.length));
    const content = chunked ? raw.subarray(0, Math.max(0, Math.min(raw.length, this.#left - 2))) : raw;
    this.#left -= raw.length;
    this.#events.body(content, raw);
    if (this.#left === 0 && chunked) this.#state = "chunk-size";
    else if (this.#left === 0) this.#over();
    return true;
  }

  #over(): void {
    this.#state = "head";
    this.#events.end();
  }

  #take(size: number): Buffer {
    const taken = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return taken;
  }
}

function toPair(line: string): readonly [name: string, value: string] {
  const at = line.indexOf(":");
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1).trim()];
}

/** The framing of a request's body. */
export function requestFraming({ headers }: Head): Framing {
  if (last(headers, "transfer-encoding")?.toLowerCase().includes("chunked") === true) return "chunked";
  const length = last(headers, "content-length") ?? "";
  return { length: /^\d+$/.test(length) ? Number(length) : 0 };
}

/** The framing of a response's body. It also depends on the request's method. */
export function responseFraming({ start, headers }: Head, method: string): Framing {
  const status = statusOf(start);
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return "none";
  if (last(headers, "transfer-encoding")?.toLowerCase().includes("chunked") === true) return "chunked";
  const length = last(headers, "content-length");
  // An invalid number frames nothing (RFC 9112, section 6.3): the body lasts until the end of the connection.
  return length !== undefined && /^\d+$/.test(length) ? { length: Number(length) } : "close";
}

/** The status code of a status line, 0 when it has none. */
export function statusOf(start: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(start)?.[1] ?? 0);
}

/** Method and target of a request line. Both are empty if it is not one. */
export function requestLine(start: string): { readonly method: string; readonly target: string } {
  const [, method = "", target = ""] = /^(\S+) (\S+) HTTP\//.exec(start) ?? [];
  return { method, target };
}

function last(headers: HeaderLines, name: string): string | undefined {
  return headers.findLast(([found]) => found.toLowerCase() === name)?.[1];
}
