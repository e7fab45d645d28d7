/**
 * Batches: what waits to be sent, of one signal.
 *
 *   add(item) ──▶ queue: `maxQueue` items, 8 × `maxBatchBytes` at most ──▶ a request of `maxBatch` items, `maxBatchBytes`
 *                   │ full: dropped and counted                              after `delayMs`, or at once when there are enough
 *
 * Each item is encoded when it is added, so that its size is known and nothing of a request is kept. One request is sent at a
 * time. Timers and requests begin outside of the request that added the item, so that it is neither traced nor recorded there.
 */
import { joinedBytes } from "../../internal/bytes.ts";
import { unref } from "../../internal/timers.ts";
import { describeError } from "../../metrics/faults.ts";
import type { Losses } from "./losses.ts";
import { encode, itemTables, resourceTable, scopeTable, wrapped, type Message } from "./protobuf.ts";
import { send } from "./sender.ts";
import type { OtlpSignal, Settings, Target } from "./settings.ts";
import { attributesOf } from "./values.ts";

/** An encoded item, and the name of its tracer, meter or logger. */
interface Item {
  readonly scope: string;
  readonly bytes: Uint8Array;
}

/** The names of the lists in OTLP's JSON form. */
const lists: Readonly<Record<OtlpSignal, readonly [resource: string, scope: string, items: string]>> = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
};

const encoder = new TextEncoder();
const QUEUED_BATCHES = 8;

/** Runs a function outside of the current request. */
export type Outside = <R>(run: () => R) => R;

/** The queue of a signal. */
export class Batches {
  readonly #signal: OtlpSignal;
  readonly #target: Target;
  readonly #settings: Settings;
  readonly #losses: Losses;
  readonly #outside: Outside;
  readonly #resource: Message;
  readonly #stopping = new AbortController();
  #waiting: Item[] = [];
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  /** The number of items that a collector has accepted. */
  sent = 0;

  constructor(signal: OtlpSignal, target: Target, settings: Settings, losses: Losses, outside: Outside) {
    this.#signal = signal;
    this.#target = target;
    this.#settings = settings;
    this.#losses = losses;
    this.#outside = outside;
    this.#resource = { attributes: attributesOf(settings.resource) };
  }

  /** Is a request on its way? */
  get isSending(): boolean {
    return this.#sending !== undefined;
  }

  /** Adds an item. Never throws. */
  add(scope: string, make: () => Message): void {
    try {
      const { maxQueue, maxBatch, maxBatchBytes, delayMs } = this.#settings;
      if (this.#isClosed) return this.#losses.add(this.#signal, 1, "the exporter is closed");
      const bytes = this.#encoded(make());
      if (bytes.length > maxBatchBytes) return this.#losses.add(this.#signal, 1, "larger than a whole request may be");
      if (this.#waiting.length >= maxQueue || this.#bytes + bytes.length > QUEUED_BATCHES * maxBatchBytes)
        return this.#losses.add(this.#signal, 1, "too many wait to be sent");
      this.#waiting.push({ scope, bytes });
      this.#bytes += bytes.length;
      if (this.#waiting.length >= maxBatch || this.#bytes >= maxBatchBytes) this.#sendSoon(0);
      else if (this.#timer === undefined) this.#sendSoon(delayMs);
    } catch (error) {
      this.#losses.add(this.#signal, 1, `it could not be encoded (${describeError(error)})`);
    }
  }

  /** Sends all that waits. Resolves when nothing does. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#outside(() => this.#sendAll()).finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0 && !this.#isClosed) this.#sendSoon(this.#settings.delayMs);
    });
    return this.#sending;
  }

  /** Sends what waits, until the signal aborts. The rest is dropped. */
  async close(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stopping.abort();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    while (this.#waiting.length > 0 || this.#sending !== undefined) await this.flush();
    this.#isClosed = true;
    signal.removeEventListener("abort", stop);
  }

  #sendSoon(ms: number): void {
    if (this.#sending !== undefined || (this.#timer !== undefined && ms > 0)) return;
    clearTimeout(this.#timer);
    this.#timer = this.#outside(() => unref(setTimeout(() => void this.flush(), ms)));
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#taken();
      const { signal } = this.#stopping;
      const { retryForMs } = this.#settings;
      const { failure, rejected, message } = await send(this.#target, this.#bodyOf(batch), retryForMs, signal).catch(
        (error: unknown) => ({ failure: describeError(error), rejected: 0, message: undefined }),
      );
      const lost = failure === undefined ? Math.min(rejected, batch.length) : batch.length;
      this.sent += batch.length - lost;
      if (failure !== undefined) this.#losses.add(this.#signal, lost, failure);
      else if (rejected > 0 || message !== undefined)
        this.#losses.add(this.#signal, lost, `the collector says: ${message ?? "rejected"}`);
    }
  }

  #taken(): readonly Item[] {
    const { maxBatch, maxBatchBytes } = this.#settings;
    let [count, bytes] = [0, 0];
    for (const item of this.#waiting) {
      if (count >= maxBatch || bytes + item.bytes.length > maxBatchBytes) break;
      count += 1;
      bytes += item.bytes.length;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  #encoded(message: Message): Uint8Array {
    if (this.#target.protocol === "http/json") return encoder.encode(JSON.stringify(message));
    return encode(itemTables[this.#signal], message);
  }

  /** The request around encoded items. */
  #bodyOf(batch: readonly Item[]): Uint8Array {
    const byScope = new Map<string, Uint8Array[]>();
    for (const { scope, bytes } of batch) {
      const known = byScope.get(scope);
      if (known === undefined) byScope.set(scope, [bytes]);
      else known.push(bytes);
    }
    if (this.#target.protocol === "http/json") return this.#jsonOf(byScope);
    const scopes = Array.from(byScope, ([name, items]) =>
      joinedBytes([wrapped(1, encode(scopeTable, { name })), wrapped(2, ...items)]),
    );
    return wrapped(1, joinedBytes([wrapped(1, encode(resourceTable, this.#resource)), wrapped(2, ...scopes)]));
  }

  #jsonOf(byScope: ReadonlyMap<string, readonly Uint8Array[]>): Uint8Array {
    const [ofResource, ofScope, ofItems] = lists[this.#signal];
    const decoder = new TextDecoder();
    const scopes = Array.from(byScope, ([name, items]) => {
      const texts = items.map((item) => decoder.decode(item)).join(",");
      return `{"scope":${JSON.stringify({ name })},"${ofItems}":[${texts}]}`;
    });
    const resource = JSON.stringify(this.#resource);
    return encoder.encode(`{"${ofResource}":[{"resource":${resource},"${ofScope}":[${scopes.join(",")}]}]}`);
  }
}
