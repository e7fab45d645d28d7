/** A stream of Server-Sent Events as a case reads it: forwards, waiting for what it expects. */
import type { HttpResponse } from "./response.ts";
import type { StreamItem } from "./event-stream.ts";
import { itemReader } from "./event-stream.ts";
import type { Incoming } from "./transport.ts";
import { Violation, within } from "./violation.ts";

/** Remembers everything that came; `next` reads on from where the last `next` stopped. */
export class EventStream {
  /** The head of the stream, its body left empty. */
  readonly response: HttpResponse;
  readonly items: StreamItem[] = [];
  readonly #timeoutMs: number;
  readonly #incoming: Incoming;
  #read = 0;
  #ended = false;
  #wake: () => void = () => {};

  constructor(
    response: HttpResponse,
    incoming: Incoming,
    timeoutMs: number,
    seen: (item: StreamItem, index: number) => void,
  ) {
    this.response = response;
    this.#incoming = incoming;
    this.#timeoutMs = timeoutMs;
    const feed = itemReader((item) => {
      seen(item, this.items.length);
      this.items.push(item);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    incoming.body.setEncoding("utf8");
    incoming.body.on("data", feed).on("end", end).on("close", end).on("error", end);
  }

  /** The next item that `wanted` accepts; those before it are passed over. A Violation when none comes in time. */
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
    return within(find(), this.#timeoutMs, () => new Violation(`${what} did not come within ${this.#timeoutMs} ms`));
  }

  /** Waits until the server ends the stream. A Violation when it does not in time. */
  async ended(): Promise<void> {
    const wait = async (): Promise<void> => {
      while (!this.#ended) await this.#more();
    };
    await within(wait(), this.#timeoutMs, () => new Violation(`the stream was open after ${this.#timeoutMs} ms`));
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
