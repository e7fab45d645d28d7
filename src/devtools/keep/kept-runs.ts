/**
 * Kept runs: all runs in memory and on disk, as one list.
 *
 *   the ring of this process ──┐
 *   the history on disk ───────┴──▶ each run once, the newest first, as a document to search
 *
 * Spec: spec/history.md
 */
import { documentOf, type RunDocument } from "../run/search/document.ts";
import type { Session } from "../run/shapes.ts";
import { type History, type HistoryRun } from "./history/history.ts";
import { traceKey } from "../run/format.ts";
import type { SessionLine } from "./history/lines.ts";
import type { TraceStore } from "./store.ts";

/** A run, in memory or on disk. */
export interface KeptRun {
  /** `{instance}.{sequence}` */
  readonly key: string;
  readonly document: RunDocument;
}

/** The runs of one application. */
export class KeptRuns {
  readonly #store: TraceStore;
  readonly #history: History | undefined;
  readonly #session: SessionLine;
  /** Documents of runs in the ring, by sequence, made on first use. */
  #documents: ReadonlyMap<number, KeptRun> = new Map();

  constructor(store: TraceStore, session: SessionLine, history: History | undefined) {
    this.#store = store;
    this.#session = session;
    this.#history = history;
  }

  async all(): Promise<readonly KeptRun[]> {
    const onDisk = (await this.#history?.runs()) ?? [];
    const inMemory = this.#inMemory();
    if (onDisk.length === 0) return inMemory;
    const known = new Set(inMemory.map(({ key }) => key));
    return [...inMemory, ...onDisk.filter(({ key }) => !known.has(key))];
  }

  async onDisk(): Promise<readonly HistoryRun[]> {
    return (await this.#history?.runs()) ?? [];
  }

  /** A run's trace as JSON, or undefined if it is not kept. */
  async textOf(key: string): Promise<string | undefined> {
    const dot = key.lastIndexOf(".");
    const sequence = key.slice(dot + 1);
    if (key.slice(0, dot) === this.#store.instance && /^[1-9]\d{0,14}$/.test(sequence)) {
      const text = this.#store.textOf(Number(sequence));
      if (text !== undefined) return text;
    }
    if (this.#history === undefined) return undefined;
    await this.#history.runs();
    const run = this.#history.find(key);
    return run === undefined ? undefined : this.#history.textOf(run);
  }

  /** The process that recorded a run, or undefined if it is unknown. */
  sessionOf(instance: string): SessionLine | undefined {
    return instance === this.#session.instance
      ? this.#session
      : this.#history?.sessions().find((session) => session.instance === instance);
  }

  /** The traces of runs on disk as JSON, if they can still be read. */
  async textOfAll(runs: readonly HistoryRun[], maxChars: number): Promise<readonly { key: string; text: string }[]> {
    const found: { key: string; text: string }[] = [];
    let chars = 0;
    for (const run of runs) {
      const text = await this.#history?.textOf(run);
      if (text === undefined) continue;
      chars += text.length;
      if (found.length > 0 && chars > maxChars) break;
      found.push({ key: run.key, text });
    }
    return found;
  }

  /** The processes with kept runs, the latest first. This process is always among them. */
  async sessions(): Promise<readonly Session[]> {
    const counts = new Map<string, { runs: number; since: number }>();
    for (const { document } of await this.all()) {
      const { runs = 0 } = counts.get(document.instance) ?? {};
      counts.set(document.instance, { runs: runs + 1, since: document.startedAt });
    }
    const { instance: own } = this.#session;
    const named = new Map(this.#history?.sessions().map((session) => [session.instance, session]));
    const current = { ...this.#session, skipped: this.#history?.skipped ?? 0, current: true };
    const former = [...counts].flatMap(([instance, { since }]) =>
      instance === own ? [] : [named.get(instance) ?? unnamed(instance, since)],
    );
    return [current, ...former.map((session) => ({ ...session, current: false }))]
      .map((session) => ({ ...session, runs: counts.get(session.instance)?.runs ?? 0 }))
      .toSorted((a, b) => Number(b.current) - Number(a.current) || b.startedAt - a.startedAt);
  }

  #inMemory(): KeptRun[] {
    const documents = new Map<number, KeptRun>();
    for (const trace of this.#store.traces()) {
      const known = this.#documents.get(trace.sequence);
      documents.set(trace.sequence, known ?? { key: traceKey(trace), document: documentOf(trace) });
    }
    this.#documents = documents;
    return [...documents.values()];
  }
}

/** A session without a line, because the line's file is gone or was unreadable. */
const unnamed = (instance: string, startedAt: number): Omit<Session, "runs" | "current"> => ({
  instance,
  startedAt,
  app: null,
  commit: null,
  branch: null,
  skipped: 0,
});
