/** A stream of Server-Sent Events as a case reads it: forwards, waiting for expected items. */
import type { HttpResponse } from "./response.ts";
import { itemReader, type StreamItem } from "./event-stream.ts";
import type { Sent, StreamStep } from "./exchange.ts";
import { relayedItems, type Relay } from "./relay.ts";
import { mostBytes, type Incoming } from "./transport.ts";
import { Violation, within } from "./violation.ts";

/** How a stream is read. */
export interface StreamOptions {
  readonly timeoutMs: number;
  readonly relay: Relay | undefined;
  /** The request that opened it. */
  readonly sent: Sent;
  /** Called for each item that the subject sent. */
  readonly seen: (step: StreamStep) => void;
  /** Called when a case waits for an item. */
  readonly read: () => void;
}

/** Keeps all items; `next` continues after the item of the last `next`. */
export class EventStream {
  /** The head of the stream, with an empty body. */
  readonly response: HttpResponse;
  readonly items: StreamItem[] = [];
  readonly #options: StreamOptions;
  readonly #incoming: Incoming;
  #arrived = 0;
  #read = 0;
  #ended = false;
  #delivered: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};

  constructor(response: HttpResponse, incoming: Incoming, options: StreamOptions) {
    this.response = response;
    this.#incoming = incoming;
    this.#options = options;
    const feed = itemReader((item) => this.#arrive({ sent: options.sent, item, index: this.#arrived++ }));
    const end = (): void => {
      this.#delivered = this.#delivered.then(() => {
        this.#ended = true;
        this.#wake();
      });
    };
    incoming.body.setEncoding("utf8");
    let size = 0;
    const take = (text: string): void => {
      size += text.length;
      if (size > mostBytes) this.close();
      else for (const part of options.relay?.rewriteChunk?.(text) ?? [text]) feed(part);
    };
    incoming.body.on("data", take).on("end", end).on("close", end).on("error", end);
  }

  /** Adds one item of the stream, or the items that the relay makes of it. */
  #arrive(step: StreamStep): void {
    const { relay, seen } = this.#options;
    seen(step);
    if (relay === undefined) return this.#deliver(step.item);
    this.#delivered = this.#delivered.then(async () => {
      for await (const item of relayedItems(relay, step)) this.#deliver(item);
    });
  }

  #deliver(item: StreamItem): void {
    this.items.push(item);
    this.#wake();
  }

  /** The next item that `wanted` accepts. Earlier ones are skipped. Throws a Violation if none comes in time. */
  async next(what: string, wanted: (item: StreamItem) => boolean = () => true): Promise<StreamItem> {
    const find = async (): Promise<StreamItem> => {
      for (;;) {
        const item = this.items[this.#read];
        if (item === undefined) {
          if (this.#ended) throw new Violation(`the stream ended before ${what}`);
          await this.#more();
        } else {
          this.#read += 1;
          if (wanted(item)) return item;
        }
      }
    };
    const { timeoutMs, read } = this.#options;
    read();
    return within(find(), timeoutMs, () => new Violation(`${what} did not come within ${timeoutMs} ms`));
  }

  /** Waits until the server ends the stream. Throws a Violation if it does not end in time. */
  async ended(): Promise<void> {
    const wait = async (): Promise<void> => {
      while (!this.#ended) await this.#more();
    };
    const { timeoutMs, read } = this.#options;
    read();
    await within(wait(), timeoutMs, () => new Violation(`the stream was open after ${timeoutMs} ms`));
  }

  close(): void {
    this.#incoming.close();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
