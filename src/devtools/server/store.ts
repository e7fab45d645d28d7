/**
 * Store: the last traces, numbered, within a bound of memory.
 *
 *   add(trace) ──▶ sequence n ──▶ ring of at most `capacity` ──▶ subscribers
 *                                   │ too many bytes: the oldest payloads become { "$evicted": true }, entries stay
 *
 * Text is made when it is asked for, once a trace while it stays the same.
 *
 * Spec: spec/trace.md (TRACE), spec/stream.md (STREAM)
 */
import type { Json, Trace, TaggedValue } from "../wire.ts";
import { withoutPayload } from "./leaves/finished.ts";
import type { Dropped } from "./recorder.ts";
import type { FinishedTrace, UnnumberedTrace } from "./trace.ts";

interface Entry {
  readonly sequence: number;
  readonly dropped: Readonly<Dropped>;
  trace: UnnumberedTrace;
  bytes: number;
  payloadBytes: number;
  text: string | undefined;
  textDropped: number;
}

/** A trace that was added, for those who keep it elsewhere. */
export interface AddedTrace {
  /** Estimated memory of it. */
  readonly bytes: number;
  /** The trace as JSON, as it is when this is asked. */
  text(): string;
}

/** The last traces of this process. */
export class TraceStore {
  /** Random per store: sequences of different processes never meet. */
  readonly instance: string = crypto.randomUUID();
  readonly #capacity: number;
  readonly #maxBytes: number;
  readonly #subscribers = new Set<(added: AddedTrace) => void>();
  #entries: Entry[] = [];
  #bytes = 0;
  #last = 0;

  constructor(capacity: number, maxBytes: number) {
    this.#capacity = capacity;
    this.#maxBytes = maxBytes;
  }

  /** The sequence of the newest trace ever added; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** The sequence of the oldest trace still held; one past the last when none is. */
  get first(): number {
    return this.#entries[0]?.sequence ?? this.#last + 1;
  }

  /** Estimated memory of what is held. */
  get bytes(): number {
    return this.#bytes;
  }

  add({ trace, bytes, payloadBytes, dropped }: FinishedTrace): void {
    this.#last++;
    const entry: Entry = { sequence: this.#last, dropped, trace, bytes, payloadBytes, text: undefined, textDropped: 0 };
    this.#entries.push(entry);
    this.#bytes += bytes;
    while (this.#entries.length > this.#capacity) this.#bytes -= this.#entries.shift()?.bytes ?? 0;
    this.#evict();
    for (const subscriber of this.#subscribers) subscriber({ bytes, text: () => this.#textNow(entry) });
  }

  /** The traces held, the most recent first. */
  traces(): readonly Trace[] {
    return this.#entries.map((entry) => this.#whole(entry)).reverse();
  }

  /** The traces held as a JSON array, the most recent first. */
  listText(): string {
    const texts: string[] = [];
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      const entry = this.#entries[index];
      if (entry !== undefined) texts.push(this.#textNow(entry));
    }
    return `[${texts.join(",")}]`;
  }

  /** The trace of the run that began as the nth; undefined when it is not held. */
  ofRun(run: number): Trace | undefined {
    const entry = this.#entries.findLast(({ trace }) => trace.run === run);
    return entry === undefined ? undefined : this.#whole(entry);
  }

  /** The trace of that sequence as JSON; undefined when it is no longer held. */
  textOf(sequence: number): string | undefined {
    const entry = this.#entries[sequence - this.first];
    if (entry === undefined) return undefined;
    const kept = keptText(entry);
    if (kept !== undefined) return kept;
    const text = JSON.stringify(this.#whole(entry));
    this.#bytes += 2 * (text.length - (entry.text?.length ?? 0));
    entry.bytes += 2 * (text.length - (entry.text?.length ?? 0));
    entry.text = text;
    entry.textDropped = droppedIn(entry);
    this.#evict();
    return text;
  }

  /** Calls the listener after each trace. Returns the way to stop that. */
  subscribe(listener: (added: AddedTrace) => void): () => void {
    this.#subscribers.add(listener);
    return () => this.#subscribers.delete(listener);
  }

  /** Forgets every trace; sequences go on. */
  clear(): void {
    this.#entries = [];
    this.#bytes = 0;
  }

  /** Its text, kept or not: what is written elsewhere takes no room here. */
  #textNow(entry: Entry): string {
    return keptText(entry) ?? JSON.stringify(this.#whole(entry));
  }

  #whole(entry: Entry): Trace {
    const { trace, sequence, dropped } = entry;
    const { id: given, ...rest } = trace;
    const id = given ?? crypto.randomUUID();
    if (given === null) entry.trace = { ...trace, id };
    return {
      instance: this.instance,
      id,
      sequence,
      ...rest,
      droppedCalls: dropped.count,
      droppedLeaves: dropped.leaves,
    };
  }

  /** Frees texts first, then payloads, the oldest first. */
  #evict(): void {
    for (const entry of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      if (entry.text !== undefined) this.#free(entry, 2 * entry.text.length);
      entry.text = undefined;
    }
    for (const entry of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      if (entry.payloadBytes === 0) continue;
      entry.trace = withoutPayloads(entry.trace);
      this.#free(entry, entry.payloadBytes);
      entry.payloadBytes = 0;
    }
  }

  #free(entry: Entry, bytes: number): void {
    entry.bytes -= bytes;
    this.#bytes -= bytes;
  }
}

/** What a trace has not kept; the number grows after its end. */
/** Its text, unless something was dropped since that was made. */
const keptText = (entry: Entry): string | undefined =>
  entry.textDropped === droppedIn(entry) ? entry.text : undefined;

const droppedIn = ({ dropped }: Entry): number => dropped.count + dropped.leaves;

const evicted: Json = { $evicted: true } satisfies TaggedValue;
const without = (payload: Json): Json => (payload === null ? null : evicted);

function withoutPayloads(trace: UnnumberedTrace): UnnumberedTrace {
  const { annotations } = trace;
  return {
    ...trace,
    ...(annotations === undefined ? {} : { annotations: annotations.map(({ name }) => ({ name, value: evicted })) }),
    request: { ...trace.request, body: without(trace.request.body) },
    response: { ...trace.response, body: without(trace.response.body) },
    leaves: trace.leaves.map(withoutPayload),
    calls: trace.calls.map((call) => ({
      ...call,
      args: call.args.map(() => evicted),
      result: call.error === null ? evicted : null,
    })),
  };
}
