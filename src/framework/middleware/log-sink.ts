/**
 * Log sink: batches lines to standard output without ever blocking or ending the process.
 *
 *   write(line) ──▶ buffer ──16 KiB | 100 ms | stop | exit──▶ stream.write(batch)
 *                     └─ the reader is gone (EPIPE) or 1 MiB behind ──▶ dropped += lines
 *
 * A closed pipe (`node app | head -1`) would end a Node process; here it only costs the lines, which are counted.
 *
 * Spec: spec/log.md (LOG-009 … LOG-011)
 */

/** What a sink needs of a stream; `process.stdout` fits. */
export interface SinkStream {
  readonly writableLength: number;
  readonly destroyed: boolean;
  write(text: string): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

const BATCH_CHARS = 16_384;
const FLUSH_MS = 100;
const MAX_BEHIND_BYTES = 1_048_576;

/** Collects lines and writes them in batches. */
export class LineSink {
  readonly #stream: SinkStream;
  #buffer = "";
  #lines = 0;
  #dropped = 0;
  #broken = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(stream: SinkStream) {
    this.#stream = stream;
    stream.on("error", () => {
      this.#broken = true;
    });
  }

  /** How many lines were lost. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a line (without its line feed). Never throws. */
  write(line: string): void {
    this.#buffer += `${line}\n`;
    this.#lines += 1;
    if (this.#buffer.length >= BATCH_CHARS) this.flush();
    else if (this.#timer === undefined) this.#arm();
  }

  /** Hands everything collected to the stream, or drops it when the stream is gone or too far behind. Never throws. */
  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === 0) return;
    const batch = this.#buffer;
    const lines = this.#lines;
    this.#buffer = "";
    this.#lines = 0;
    if (!this.#hand(batch)) this.#dropped += lines;
  }

  #hand(batch: string): boolean {
    const stream = this.#stream;
    if (this.#broken || stream.destroyed || stream.writableLength > MAX_BEHIND_BYTES) return false;
    try {
      stream.write(batch);
      return !this.#broken;
    } catch {
      return false;
    }
  }

  #arm(): void {
    const timer: unknown = setTimeout(() => this.flush(), FLUSH_MS);
    this.#timer = timer as ReturnType<typeof setTimeout>;
    // Only Node's timers can be told not to keep the process alive; elsewhere they are numbers.
    if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
      timer.unref();
  }
}

let shared: LineSink | undefined;

/**
 * The one sink on standard output, shared by all access logs of the process; made on first use, so that
 * importing this adds no listener. Undefined where there is no such stream.
 */
export function stdoutSink(): LineSink | undefined {
  if (shared !== undefined) return shared;
  const host: typeof globalThis.process | undefined = globalThis.process;
  const stream: SinkStream | undefined = host?.stdout;
  if (stream === undefined || stream === null || typeof stream.write !== "function") return undefined;
  const sink = new LineSink(stream);
  host.on("exit", () => sink.flush());
  shared = sink;
  return sink;
}
