/**
 * The way back of a proxy: responses in, rewritten responses out, in order.
 *
 *   head ─┬─ event stream ──▶ head at once, then each item as the mutant wants it
 *         ├─ over 1 MiB ────▶ as it is, no faster than the client reads
 *         └─ anything else ─▶ gathered, rewritten, sent whole
 */
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { HeaderLines } from "./response.ts";
import { formatItem, itemReader, type StreamItem } from "./event-stream.ts";
import { sent, type Exchange, type Sent } from "./exchange.ts";
import { responseFraming, MessageReader, statusOf, type Head } from "./message-reader.ts";
import { headerOf, type Mutant } from "./mutant.ts";

/** What is larger passes untouched, so that a client that leaves in the middle is seen by the subject. */
const gatheredAtMost = 1_048_576;

/** Reads one subject's responses and writes them to one client. */
export class ResponseRelay {
  readonly #client: Socket;
  readonly #requests: Sent[];
  readonly #mutant: Pick<Mutant, "rewrite" | "rewriteItem">;
  readonly #reader: MessageReader;
  #writing: Promise<void> = Promise.resolve();
  #request: Sent = sent("", "");
  #head: Head | undefined;
  #data: Buffer[] = [];
  #raw: Buffer[] = [];
  #feed: ((text: string) => void) | undefined;
  #index = 0;
  #gathered = 0;
  #large = false;
  readonly #subject: Socket;

  constructor(client: Socket, subject: Socket, requests: Sent[], mutant: Pick<Mutant, "rewrite" | "rewriteItem">) {
    this.#client = client;
    this.#subject = subject;
    client.on("drain", () => subject.resume());
    this.#requests = requests;
    this.#mutant = mutant;
    this.#reader = new MessageReader({
      head: (head) => this.#begin(head),
      body: (data, raw) => this.#body(data, raw),
      end: () => this.#end(),
    });
  }

  push(bytes: Buffer): void {
    this.#reader.push(bytes);
  }

  /** The subject has closed: what it left unfinished stays unfinished. */
  finish(): void {
    this.#reader.finish();
    const head = this.#head;
    if (head === undefined) return this.#later(() => void this.#client.end());
    if (this.#feed === undefined) this.#passCut(head);
    this.#later(() => this.#client.destroySoon());
  }

  /** What came of a response that was cut short, unless the mutant makes something else of it. */
  #passCut(head: Head): void {
    const cut: Exchange = { ...this.#exchange(head, Buffer.concat(this.#data).toString("utf8")), cut: "truncate" };
    const rewritten = this.#large ? cut : this.#mutant.rewrite(cut);
    if (rewritten === cut) this.#write(Buffer.concat([...(this.#large ? [] : [head.bytes]), ...this.#raw]));
    else this.#send(rewritten);
  }

  #begin(head: Head): ReturnType<typeof responseFraming> {
    this.#head = head;
    this.#data = [];
    this.#raw = [];
    this.#gathered = 0;
    this.#large = false;
    const interim = isInterim(head);
    this.#request = interim ? this.#request : (this.#requests.shift() ?? sent("", ""));
    if (headerOf(head.headers, "content-type")?.startsWith("text/event-stream") === true) this.#openStream(head);
    return responseFraming(head, this.#request.method);
  }

  #body(data: Buffer, raw: Buffer): void {
    if (this.#feed) {
      this.#feed(data.toString("utf8"));
      return this.#keepPace();
    }
    this.#gathered += raw.length;
    this.#data.push(data);
    this.#raw.push(raw);
    if (this.#gathered > gatheredAtMost) this.#passOn();
  }

  /** Sends on what has come of a response that is too large to rewrite. */
  #passOn(): void {
    const head = this.#head;
    if (head) this.#write(Buffer.concat([...(this.#large ? [] : [head.bytes]), ...this.#raw]));
    this.#large = true;
    this.#raw = [];
    this.#data = [];
    this.#keepPace();
  }

  /** Reads on from the subject when the client has taken what was written. */
  #keepPace(): void {
    this.#subject.pause();
    this.#later(() => {
      if (!this.#client.writableNeedDrain) this.#subject.resume();
    });
  }

  #end(): void {
    const head = this.#head;
    this.#head = undefined;
    if (head === undefined) return;
    if (this.#feed) {
      this.#feed = undefined;
      this.#write("0\r\n\r\n");
      return;
    }
    if (this.#large) return this.#write(Buffer.concat(this.#raw));
    const raw = Buffer.concat([head.bytes, ...this.#raw]);
    if (isInterim(head)) return this.#write(raw);
    const exchange = this.#exchange(head, Buffer.concat(this.#data).toString("utf8"));
    const rewritten = this.#mutant.rewrite(exchange);
    if (rewritten === exchange) this.#write(raw);
    else this.#send(rewritten);
  }

  #openStream(head: Head): void {
    const exchange = this.#exchange(head, "");
    const { status, headers } = this.#mutant.rewrite(exchange);
    this.#write(headText(status, [...unframed(headers), ["Transfer-Encoding", "chunked"]]));
    this.#index = 0;
    const request = this.#request;
    this.#feed = itemReader((item) => {
      for (const { delayMs, ...next } of this.#mutant.rewriteItem({ sent: request, item, index: this.#index++ })) {
        this.#writeItem(next, delayMs);
      }
    });
  }

  #writeItem(item: StreamItem, delayMs = 0): void {
    const text = formatItem(item);
    if (delayMs > 0) this.#later(() => setTimeout(delayMs, undefined, { ref: false }));
    this.#write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  #exchange(head: Head, body: string): Exchange {
    return { sent: this.#request, status: statusOf(head.start), headers: head.headers, body };
  }

  #send({ sent: request, status, headers, body, delayMs = 0, cut }: Exchange): void {
    if (delayMs > 0) this.#later(() => setTimeout(delayMs, undefined, { ref: false }));
    if (cut === "close") return this.#later(() => void this.#client.destroy());
    const bodiless = request.method === "HEAD" || status === 204 || status === 304;
    const kept = unframed(headers);
    const length: HeaderLines =
      bodiless && body === "" ? headers.filter(([name]) => /^content-length$/i.test(name)) : [];
    const framed: HeaderLines = length.length > 0 ? length : [["Content-Length", String(Buffer.byteLength(body))]];
    this.#write(headText(status, status === 204 || status === 304 ? kept : [...kept, ...framed]));
    this.#write(cut === "truncate" ? body.slice(0, body.length / 2) : body);
    if (cut === "truncate") this.#later(() => this.#client.destroySoon());
  }

  #write(bytes: string | Buffer): void {
    this.#later(() => void this.#client.write(bytes));
  }

  /** In order, after everything written before. */
  #later(step: () => unknown): void {
    this.#writing = this.#writing.then(async () => {
      if (!this.#client.destroyed) await step();
    });
  }
}

/** Does another response follow it? A 101 is rewritten like a final one; what comes behind it is not passed on. */
const isInterim = ({ start }: Head): boolean => statusOf(start) < 200 && statusOf(start) !== 101;

function headText(status: number, headers: HeaderLines): string {
  return [`HTTP/1.1 ${status} Mutant`, ...headers.map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");
}

/** What says nothing of how the body is framed. */
function unframed(headers: HeaderLines): HeaderLines {
  return headers.filter(([name]) => !/^(transfer-encoding|content-length)$/i.test(name));
}
