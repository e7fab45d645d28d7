/**
 * History: runs on disk, so that they survive a restart.
 *
 *   store ──▶ waiting ── every 200 ms ──▶ a batch of lines ──▶ journal
 *                │ too many at once: skipped, and counted
 *   endpoints ◀── runs, newest first ◀── lines added since the last time, each parsed once
 *
 * A request costs an entry in a list. A disk failure is reported in one line, tried again every few seconds, and does not affect
 * the application. Waiting runs are written when the process ends, also if it ends by an uncaught error.
 *
 * Spec: spec/history.md
 */
import { documentOf, type RunDocument } from "../../run/search/document.ts";
import type { Session, StartUp } from "../../run/shapes.ts";
import { messageOf, traceKey } from "../../run/format.ts";
import { Journal, type ReadFile } from "./journal.ts";
import { readHistoryLine, runText, sessionText, startText, type SessionLine } from "./lines.ts";

/** Where and how many runs are kept. */
export interface HistorySettings {
  /** An absolute path. */
  readonly file: string;
  readonly bytes: number;
  readonly runs: number;
  /** How many runs are written in a second under sustained load. */
  readonly runsPerSecond: number;
}

/** A run that waits to be written. */
export interface AddedRun {
  readonly bytes: number;
  /** The run as JSON. */
  text(): string;
}

interface QueuedLine {
  readonly bytes: number;
  line(): string;
}

/** A run that is on disk. */
export interface HistoryRun {
  /** `{instance}.{sequence}` */
  readonly key: string;
  readonly document: RunDocument;
  readonly inode: number;
  readonly offset: number;
  readonly length: number;
}

const batchMs = 200;
/** The delay after a failure. */
const againMs = 5_000;
/** The most bytes that may wait, estimated from above; more is skipped. */
const maxWaitingBytes = 16_777_216;
/** Runs that may come at the same time before they are too many. */
const burst = 500;
/** How long lines are made without a pause. */
const sliceMs = 3;

/** The runs of earlier processes, and of this one. */
export class History {
  readonly #session: SessionLine;
  readonly #journal: Journal;
  readonly #settings: HistorySettings;
  readonly #now: () => number;
  #warn: (line: string) => void = () => undefined;
  readonly #told: Set<string> = new Set();
  #waiting: QueuedLine[] = [];
  #batch: readonly QueuedLine[] = [];
  #waitingBytes = 0;
  #skipped = 0;
  /** Runs that may be written now. */
  #allowed: number = burst;
  #allowedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<boolean> | undefined;
  #reading: Promise<void> | undefined;
  #isClosed = false;
  /** Runs by file, in the order of the file. */
  #runs: Map<ReadFile, HistoryRun[]> = new Map();
  readonly #byKey: Map<string, HistoryRun> = new Map();
  readonly #sessions: Map<string, SessionLine & { skipped: number }> = new Map();
  /** Sessions of other applications in the same file. */
  readonly #foreign: Set<string> = new Set();
  #failed: StartUp | undefined;

  /** @param now milliseconds of a monotonic clock */
  constructor(settings: HistorySettings, session: SessionLine, now: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#session = session;
    this.#journal = new Journal({ file: settings.file, bytes: settings.bytes, lines: settings.runs });
    this.#now = now;
    this.#allowedAt = now();
  }

  /** Sets where its warnings go, each once. */
  warnBy(warn: (line: string) => void): void {
    this.#warn = warn;
  }

  /** Runs that were skipped because they were too many. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Keeps a run, unless there are too many. @returns whether it does */
  add(run: AddedRun): boolean {
    if (this.#isClosed) return false;
    if (!this.#mayWrite() || this.#waitingBytes + run.bytes > maxWaitingBytes) {
      this.#skipped += 1;
      return false;
    }
    this.#wait({ bytes: run.bytes, line: () => runText(run.text(), this.#skipped) });
    return true;
  }

  /** Writes waiting runs. Never rejects. @returns whether nothing is left to write */
  flush(): Promise<boolean> {
    return (this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    }));
  }

  /** Writes waiting runs, and takes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    if (this.#waiting.length > 0) await this.flush();
    clearTimeout(this.#timer);
    ending.delete(this);
  }

  /** Writes waiting runs synchronously, for a process that ends. Never throws. */
  writeNow(): void {
    this.#appendNow(this.#takeAll());
  }

  /** Keeps a successful start, and the address of the application if it has one. */
  addStart(start: () => StartUp, at?: () => string | undefined): void {
    this.#wait({ bytes: 1_024, line: () => startText(start(), at?.()) });
  }

  /** Keeps a failed start synchronously, since the process may end by it. Never throws. */
  addFailedStart(start: StartUp): void {
    this.#appendNow([...this.#takeAll(), startText(start)]);
  }

  /** The runs on disk, the newest first. Never rejects; unreadable ones are missing. */
  async runs(): Promise<readonly HistoryRun[]> {
    await this.flush();
    if (this.#waiting.length > 0) await this.flush();
    await this.#read();
    const all = [...this.#runs.values()].flat().filter((run) => this.#byKey.get(run.key) === run);
    return all.slice(-this.#settings.runs).reverse();
  }

  /** The sessions that were read, without this one. */
  sessions(): readonly Omit<Session, "runs" | "current">[] {
    return [...this.#sessions.values()].filter(({ instance }) => instance !== this.#session.instance);
  }

  /** The last failed start without a successful one after it. This process' own start does not count. After `runs()`. */
  get failedStart(): StartUp | undefined {
    return this.#failed;
  }

  find(key: string): HistoryRun | undefined {
    return this.#byKey.get(key);
  }

  /** The run's trace as JSON, or undefined if it is gone. Never rejects. */
  async textOf({ key, inode, offset, length }: HistoryRun): Promise<string | undefined> {
    try {
      const text = await this.#journal.lineAt(inode, offset, length);
      const line = text === undefined ? undefined : readHistoryLine(text);
      if (line?.kind !== "run" || traceKey(line.run) !== key) return undefined;
      return JSON.stringify(line.run);
    } catch (error) {
      this.#tell("read", `${this.#settings.file} cannot be read: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** A run above the rate is too many, so that a load test does not wash out the runs before it. */
  #mayWrite(): boolean {
    if (this.#allowed < 1) {
      const now = this.#now();
      const more = ((now - this.#allowedAt) / 1_000) * this.#settings.runsPerSecond;
      if (more < 1) return false;
      this.#allowed = Math.min(burst, this.#allowed + more);
      this.#allowedAt = now;
    }
    this.#allowed -= 1;
    return true;
  }

  async #write(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return true;
    const batch = this.#waiting;
    this.#batch = batch;
    this.#waiting = [];
    try {
      await this.#journal.append(await this.#linesOf(batch), sessionText(this.#session));
      this.#batch = [];
      this.#waitingBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
    } catch (error) {
      this.#batch = [];
      this.#waiting = [...batch, ...this.#waiting];
      this.#tell(
        "write",
        `runs are kept in memory alone: ${this.#settings.file} cannot be written: ${messageOf(error)}`,
      );
      if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.flush(), againMs).unref();
      return false;
    }
    if (this.#waiting.length === 0) ending.delete(this); // A later run has set the timer.
    return this.#waiting.length === 0;
  }

  #wait(line: QueuedLine): void {
    this.#waiting.push(line);
    this.#waitingBytes += line.bytes;
    ending.add(this);
    this.#timer ??= setTimeout(() => void this.flush(), batchMs).unref();
  }

  /** The lines of a batch, made a few at a time. */
  async #linesOf(batch: readonly QueuedLine[]): Promise<readonly string[]> {
    const lines: string[] = [];
    let startedAt = performance.now();
    for (const waiting of batch) {
      lines.push(waiting.line());
      if (performance.now() - startedAt < sliceMs) continue;
      await new Promise((resolve) => void setImmediate(resolve));
      startedAt = performance.now();
    }
    return lines;
  }

  /** All waiting lines. A batch in progress is written twice at worst, and counts once. */
  #takeAll(): readonly string[] {
    const lines = [...this.#batch, ...this.#waiting].map((waiting) => waiting.line());
    this.#waiting = [];
    this.#waitingBytes = 0;
    return lines;
  }

  #appendNow(lines: readonly string[]): void {
    if (lines.length === 0) return;
    try {
      this.#journal.appendNow(lines, sessionText(this.#session));
    } catch {
      // The process ends, or a start has failed, and that is the error to report then.
    }
  }

  #read(): Promise<void> {
    return (this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    }));
  }

  async #readOn(): Promise<void> {
    try {
      const files = await this.#journal.read((text, file, offset, length) => this.#take(text, file, offset, length));
      const isOneGone = [...this.#runs.keys()].some((file) => !files.includes(file));
      // In the present order of the files, since the newer one may have become the older.
      this.#runs = new Map(files.map((file) => [file, this.#runs.get(file) ?? []]));
      if (!isOneGone) return;
      // A run may also be in a file that is left.
      this.#byKey.clear();
      for (const run of [...this.#runs.values()].flat()) this.#byKey.set(run.key, run);
    } catch (error) {
      this.#tell("read", `${this.#settings.file} cannot be read: ${messageOf(error)}`);
    }
  }

  #take(text: string, file: ReadFile, offset: number, length: number): void {
    const line = readHistoryLine(text);
    switch (line.kind) {
      case "session":
        return this.#takeSession(line.session);
      case "run":
        if (this.#foreign.has(line.run.instance)) return;
        this.#noteSkipped(line.run.instance, line.skipped);
        return this.#takeRun(
          { key: traceKey(line.run), document: documentOf(line.run), inode: file.inode, offset, length },
          file,
        );
      case "start":
        return this.#takeStart(line.start);
      case "newer":
        return this.#tell("newer", `${this.#settings.file} has lines of a later version, which are not read`);
      case "other":
        return this.#tell("other", `${this.#settings.file} has lines that are no runs, which are not read`);
      default: // A crash cuts a line, which is normal.
    }
  }

  #takeStart(start: StartUp): void {
    if (this.#foreign.has(start.instance)) return;
    if (start.error !== null) this.#failed = start;
    else if (start.instance !== this.#session.instance) this.#failed = undefined;
  }

  #takeSession(session: SessionLine): void {
    const { instance, app } = session;
    if (app === this.#session.app) {
      this.#sessions.set(instance, { ...session, skipped: this.#sessions.get(instance)?.skipped ?? 0 });
      return;
    }
    this.#foreign.add(instance);
    this.#tell(
      "foreign",
      `${this.#settings.file} has runs of ${app ?? "an application without a name"} too, which are not read`,
    );
  }

  #noteSkipped(instance: string, skipped: number): void {
    const session = this.#sessions.get(instance);
    if (session !== undefined) session.skipped = Math.max(session.skipped, skipped);
  }

  /** A run may be there twice after a failed write; the later one counts. */
  #takeRun(run: HistoryRun, file: ReadFile): void {
    this.#byKey.set(run.key, run);
    const runs = this.#runs.get(file);
    if (runs === undefined) this.#runs.set(file, [run]);
    else runs.push(run);
  }

  #tell(kind: string, line: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#warn(`devtools: ${line}`);
  }
}

/** Histories with waiting runs. They share one listener, and have none while there is nothing to write. */
const ending = new (class {
  readonly #histories = new Set<History>();
  readonly #write = (): void => {
    for (const history of this.#histories) history.writeNow();
  };

  add(history: History): void {
    if (this.#histories.size === 0) process.once("exit", this.#write);
    this.#histories.add(history);
  }

  delete(history: History): void {
    this.#histories.delete(history);
    if (this.#histories.size === 0) process.off("exit", this.#write);
  }
})();
