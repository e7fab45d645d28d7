/**
 * Store: the last traces, numbered, within a bound of memory.
 *
 *   add(trace), addEnded(run) ──▶ sequence n ──▶ ring of at most `capacity` ──▶ subscribers
 *                                    │ too many bytes: the oldest payloads become { "$evicted": true }, entries stay
 *
 * An ended run becomes a trace when it is read, and at most 100 ms later in any case, because its data still contains secrets
 * that were not searched yet. A run that others push out of the ring before that was not used, so its trace is never made.
 * With more requests than the ring holds in 50 ms, no traces are made. Text is made on request, once a trace while it stays
 * the same.
 *
 * Spec: spec/trace.md, spec/stream.md
 */
import type { Json, Trace, TaggedValue } from "../run/shapes.ts";
import type { EndedRun, FinishedTrace, UnnumberedTrace } from "../record/finished-trace.ts";
import { withoutPayload } from "../record/leaves/finished.ts";
import type { DropCounts } from "../record/recorder.ts";

interface Entry {
  readonly sequence: number;
  readonly run: number | undefined;
  readonly dropped: Readonly<DropCounts>;
  /** The run until its trace is made, then the trace. */
  held: EndedRun | UnnumberedTrace;
  /** Whether a subscriber keeps it. Its trace is then made before it leaves the ring. */
  isKept: boolean;
  bytes: number;
  payloadBytes: number;
  text: string | undefined;
  textDropped: number;
}

/** An added trace, for subscribers that keep it elsewhere. */
export interface AddedTrace {
  /** Its estimated memory. */
  readonly bytes: number;
  /** The trace as JSON, in its state at the time of the call. */
  text(): string;
}

/** Called with each trace. Returns true if it keeps the trace and requests its text later. */
export type TraceSubscriber = (added: AddedTrace) => unknown;

/** How often traces are made, of the runs that were there the time before. Each waits for twice as long at most. */
const everyMs = 50;
/** How long traces are made without a pause. */
const sliceMs = 3;

/** The last traces of this process. */
export class TraceStore {
  /** Random per store, so that sequences of different processes never meet. */
  readonly instance: string = crypto.randomUUID();
  readonly #capacity: number;
  readonly #maxBytes: number;
  readonly #subscribers = new Set<TraceSubscriber>();
  /** The entry of a sequence has a fixed place, which the one `capacity` later takes. */
  #ring: (Entry | undefined)[] = [];
  #first = 1;
  #last = 0;
  #bytes = 0;
  #making: NodeJS.Timeout | undefined;
  /** The newest run that only waits for the next time. */
  #due = 0;

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
    return this.#first;
  }

  /** Estimated memory of all held traces. */
  get bytes(): number {
    return this.#bytes;
  }

  add({ trace, bytes, payloadBytes, dropped }: FinishedTrace): void {
    this.#put(trace.run, dropped, trace, bytes, payloadBytes);
  }

  /** Adds a run. Its trace is made later, if at all. */
  addEnded(ended: EndedRun): void {
    this.#making ??= this.#makeIn(everyMs);
    if (this.#making === undefined) this.add(ended.finish());
    else this.#put(ended.run, ended.dropped, ended, ended.bytes, 0);
  }

  /** The traces held, the most recent first. */
  traces(): readonly Trace[] {
    return this.#entries().map((entry) => this.#whole(entry));
  }

  /** The traces held as a JSON array, the most recent first. */
  listText(): string {
    return `[${this.#entries()
      .map((entry) => this.#textNow(entry))
      .join(",")}]`;
  }

  /** The trace of the run that began as the nth, or undefined when it is not held. */
  ofRun(run: number): Trace | undefined {
    const entry = this.#entries().find((one) => one.run === run);
    return entry === undefined ? undefined : this.#whole(entry);
  }

  /** The trace of that sequence as JSON, or undefined when it is no longer held. */
  textOf(sequence: number): string | undefined {
    const entry = this.#at(sequence);
    if (entry === undefined) return undefined;
    const kept = keptText(entry);
    if (kept !== undefined) return kept;
    const text = JSON.stringify(this.#whole(entry));
    this.#grow(entry, 2 * (text.length - (entry.text?.length ?? 0)));
    entry.text = text;
    entry.textDropped = droppedIn(entry);
    this.#evict();
    return text;
  }

  /** Calls the listener after each trace. Returns a function that ends the subscription. */
  subscribe(listener: TraceSubscriber): () => void {
    this.#subscribers.add(listener);
    return () => this.#subscribers.delete(listener);
  }

  /** Forgets every trace. Sequence numbers continue. */
  clear(): void {
    for (const entry of this.#entries()) if (entry.isKept) this.#traceOf(entry);
    this.#ring = [];
    this.#first = this.#last + 1;
    this.#bytes = 0;
  }

  #put(run: number | undefined, dropped: DropCounts, held: Entry["held"], bytes: number, payloadBytes: number): void {
    const sequence = this.#last + 1;
    const entry: Entry = {
      sequence,
      run,
      dropped,
      held,
      isKept: false,
      bytes,
      payloadBytes,
      text: undefined,
      textDropped: 0,
    };
    const place = sequence % this.#capacity;
    const pushed = this.#ring[place];
    this.#ring[place] = entry;
    this.#last = sequence;
    this.#bytes += bytes;
    if (pushed !== undefined) this.#pushOut(pushed);
    if (this.#bytes > this.#maxBytes) this.#evict();
    for (const subscriber of this.#subscribers)
      if (subscriber({ bytes, text: () => this.#textNow(entry) }) === true) entry.isKept = true;
  }

  #pushOut(entry: Entry): void {
    this.#first = entry.sequence + 1;
    this.#bytes -= entry.bytes;
    if (entry.isKept) this.#traceOf(entry);
  }

  #at(sequence: number): Entry | undefined {
    return sequence < this.#first || sequence > this.#last ? undefined : this.#ring[sequence % this.#capacity];
  }

  /** The newest first. */
  #entries(): Entry[] {
    const entries: Entry[] = [];
    for (let sequence = this.#last; sequence >= this.#first; sequence--) {
      const entry = this.#at(sequence);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  /** Undefined if the platform has no timer that lets the process end; nothing waits there. */
  #makeIn(ms: number): NodeJS.Timeout | undefined {
    const timer: unknown = setTimeout(() => this.#makeTraces(), ms);
    if (typeof timer === "object" && timer !== null && "unref" in timer) return (timer as NodeJS.Timeout).unref();
    clearTimeout(timer as number);
    return undefined;
  }

  /** Makes the traces of the due runs. Later ones are due the next time. */
  #makeTraces(): void {
    const isDone = this.#makeDue();
    const hasMore = this.#due < this.#last;
    if (isDone) this.#due = this.#last;
    this.#making = !isDone ? this.#makeIn(1) : hasMore ? this.#makeIn(everyMs) : undefined;
    this.#evict();
  }

  /** A few at a time. Returns whether none is left. */
  #makeDue(): boolean {
    const until = performance.now() + sliceMs;
    for (let sequence = this.#first; sequence <= this.#due; sequence++) {
      const entry = this.#at(sequence);
      if (entry === undefined || !isWaiting(entry.held)) continue;
      this.#traceOf(entry);
      if (performance.now() >= until) return false;
    }
    return true;
  }

  /** Its text, kept or not. A text for elsewhere takes no room here. */
  #textNow(entry: Entry): string {
    return keptText(entry) ?? JSON.stringify(this.#whole(entry));
  }

  #traceOf(entry: Entry): UnnumberedTrace {
    const { held } = entry;
    if (!isWaiting(held)) return held;
    const { trace, bytes, payloadBytes } = held.finish();
    this.#grow(entry, bytes - entry.bytes);
    entry.payloadBytes = payloadBytes;
    entry.held = trace;
    return trace;
  }

  #whole(entry: Entry): Trace {
    const { sequence, dropped } = entry;
    const trace = this.#traceOf(entry);
    const { id: given, ...rest } = trace;
    const id = given ?? crypto.randomUUID();
    if (given === null) entry.held = { ...trace, id };
    return {
      instance: this.instance,
      id,
      sequence,
      ...rest,
      droppedCalls: dropped.count,
      droppedLeaves: dropped.leaves,
    };
  }

  /** Makes traces of waiting runs, then drops texts, then payloads, the oldest first. */
  #evict(): void {
    const isShort = (): boolean => this.#bytes > this.#maxBytes;
    for (let sequence = this.#first; sequence <= this.#last && isShort(); sequence++) {
      const entry = this.#at(sequence);
      if (entry !== undefined) this.#traceOf(entry);
    }
    for (let sequence = this.#first; sequence <= this.#last && isShort(); sequence++) {
      const entry = this.#at(sequence);
      if (entry?.text === undefined) continue;
      this.#grow(entry, -2 * entry.text.length);
      entry.text = undefined;
    }
    for (let sequence = this.#first; sequence <= this.#last && isShort(); sequence++) {
      const entry = this.#at(sequence);
      if (entry === undefined || entry.payloadBytes === 0) continue;
      entry.held = withoutPayloads(this.#traceOf(entry));
      this.#grow(entry, -entry.payloadBytes);
      entry.payloadBytes = 0;
    }
  }

  /** Changes the memory of an entry. One that others have pushed out no longer counts. */
  #grow(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    if (this.#at(entry.sequence) === entry) this.#bytes += bytes;
  }
}

const isWaiting = (held: EndedRun | UnnumberedTrace): held is EndedRun => "finish" in held;

/** Its text, unless something was dropped since it was made. */
const keptText = (entry: Entry): string | undefined =>
  entry.textDropped === droppedIn(entry) ? entry.text : undefined;

/** The number of items that a trace has not kept, which grows after its end. */
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
