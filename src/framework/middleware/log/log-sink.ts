/**
 * Log sink: batches records to standard output without ever blocking or ending the process.
 *
 *   write(record) ──▶ waiting ──16 KiB | 100 ms | stop | exit──▶ format each ──▶ stream.write(batch)
 *                       └─ the reader is gone (EPIPE) or 1 MiB behind ──▶ dropped += records
 *
 * Records become text together, when they are due, because sixty in a row cost half as much as one between two requests each.
 *
 * A closed pipe (`node app | head -1`) would end a Node process. Here it only costs the lines, which are counted.
 *
 * Spec: spec/log.md
 */

/** The stream interface that a sink needs. `process.stdout` fits. */
export interface SinkStream {
  readonly writableLength: number;
  readonly destroyed: boolean;
  write(text: string, encoding: "latin1", taken: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

const BATCH_CHARS = 16_384;
const FLUSH_MS = 100;
const MAX_BEHIND_BYTES = 1_048_576;

/** A record as a line of printable ASCII, without a line feed. Must not throw. */
export type Format<T> = (record: T) => string;

/** Collects records and writes their lines in batches. */
export class LineSink<T> {
  readonly #stream: SinkStream;
  readonly #format: Format<T>;
  #waiting: T[] = [];
  #chars = 0;
  #dropped = 0;
  #broken = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(stream: SinkStream, format: Format<T>) {
    this.#stream = stream;
    this.#format = format;
    stream.on("error", () => {
      this.#broken = true;
    });
  }

  /** The number of lost records. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a record with a line of about that many characters. Never throws. */
  write(record: T, chars: number): void {
    this.#waiting.push(record);
    this.#chars += chars;
    if (this.#chars >= BATCH_CHARS) this.flush();
    else if (this.#timer === undefined) this.#arm();
  }

  /** Passes everything collected to the stream, or drops it when the stream is gone or too far behind. Never throws. */
  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    const records = this.#waiting;
    if (records.length === 0) return;
    this.#waiting = [];
    this.#chars = 0;
    let isLost = false;
    const lost = (): void => {
      if (!isLost) this.#dropped += records.length;
      isLost = true;
    };
    if (!this.#hand(records, lost)) lost();
  }

  /** False when the stream immediately rejects it. `lost` is called when that shows later. */
  #hand(records: readonly T[], lost: () => void): boolean {
    const stream = this.#stream;
    if (this.#broken || stream.destroyed || stream.writableLength > MAX_BEHIND_BYTES) return false;
    let batch = "";
    for (const record of records) batch += `${this.#format(record)}\n`;
    try {
      // ASCII, so nothing needs encoding. A pipe without a reader reports it after the write.
      stream.write(batch, "latin1", (error) => {
        if (error) lost();
      });
      return !this.#broken;
    } catch {
      return false;
    }
  }

  #arm(): void {
    const timer: unknown = setTimeout(() => this.flush(), FLUSH_MS);
    this.#timer = timer as ReturnType<typeof setTimeout>;
    // Only Node's timers have `unref()`. Elsewhere they are numbers.
    if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
      timer.unref();
  }
}

const shared: Map<unknown, unknown> = new Map();

/**
 * The sink of one format on standard output, shared by all access logs of the process. Made on first use, so that importing
 * this adds no listener. Undefined when there is no such stream.
 */
export function stdoutSink<T>(format: Format<T>): LineSink<T> | undefined {
  const known = shared.get(format);
  if (known !== undefined) return known as LineSink<T>;
  const host: typeof globalThis.process | undefined = globalThis.process;
  const stream: SinkStream | undefined = host?.stdout;
  if (stream === undefined || stream === null || typeof stream.write !== "function") return undefined;
  const sink = new LineSink(stream, format);
  host.on("exit", () => sink.flush());
  shared.set(format, sink);
  return sink;
}
