/**
 * Store: the last traces, numbered, within a bound of memory.
 *
 *   add(trace), addEnded(run) ──▶ sequence n ──▶ at most `capacity` of them ──▶ subscribers
 *                                    │ too many bytes: the oldest payloads become { "$evicted": true }, entries stay
 *
 * A quarter of the places is for runs that are not requests, so neither requests nor jobs push all of the others out.
 *
 * An ended run becomes a trace when it is read, and at most 100 ms later in any case, because its data still contains secrets
 * that were not searched yet. A run that others push out before that was not used, so its trace is never made.
 * With more requests than it holds in 50 ms, no traces are made. Text is made on request, once a trace while it stays
 * the same.
 *
 * Spec: spec/trace.md, spec/stream.md
 */
import type { Json, Trace, TaggedValue } from "../run/shapes.ts";
import type { EndedRun, FinishedTrace, UnnumberedTrace } from "../record/finished-trace.ts";
import { withoutPayload } from "../record/leaves/finished.ts";
import type { DropCounts } from "../record/recorder.ts";
import { otherRunsIn } from "../run/wire.ts";

interface Entry {
  readonly sequence: number;
  readonly run: number | undefined;
  readonly isRequest: boolean;
  readonly dropped: Readonly<DropCounts>;
  /** The run until its trace is made, then the trace. */
  held: EndedRun | UnnumberedTrace;
  isHeld: boolean;
  /** Whether a subscriber keeps it. Its trace is then made before it leaves the store. */
  isKept: boolean;
  bytes: number;
  payloadBytes: number;
  text: string | undefined;
  textDropped: number;
}

type Added = Pick<Entry, "run" | "dropped" | "held" | "bytes" | "payloadBytes" | "isRequest">;

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
  /** The held requests and the other runs, the oldest first. Two short lists are cheaper than a Map, which is filled with gaps. */
  #requests: Entry[] = [];
  #others: Entry[] = [];
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
    return this.nextAfter(0);
  }

  /** Estimated memory of all held traces. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The next sequence that is held; one past the last when none is. */
  nextAfter(sequence: number): number {
    return this.#oldestFirst().find((entry) => entry.sequence > sequence)?.sequence ?? this.#last + 1;
  }

  add({ trace, bytes, payloadBytes, dropped }: FinishedTrace): void {
    const { run, kind } = trace;
    this.#put({ run, dropped, held: trace, bytes, payloadBytes, isRequest: kind === undefined });
  }

  /** Adds a run. Its trace is made later, if at all. */
  addEnded(ended: EndedRun): void {
    this.#making ??= this.#makeIn(everyMs);
    if (this.#making === undefined) this.add(ended.finish());
    else {
      const { run, dropped, bytes } = ended;
      this.#put({ run, dropped, held: ended, bytes, payloadBytes: 0, isRequest: true });
    }
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
    const entry = this.#oldestFirst().find((one) => one.sequence === sequence);
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
    for (const entry of this.#entries()) {
      if (entry.isKept) this.#traceOf(entry);
      entry.isHeld = false;
    }
    [this.#requests, this.#others] = [[], []];
    this.#bytes = 0;
  }

  #put({ run, dropped, held, bytes, payloadBytes, isRequest }: Added): void {
    const sequence = this.#last + 1;
    const entry: Entry = {
      sequence,
      run,
      isRequest,
      dropped,
      held,
      isHeld: true,
      isKept: false,
      bytes,
      payloadBytes,
      text: undefined,
      textDropped: 0,
    };
    (isRequest ? this.#requests : this.#others).push(entry);
    this.#last = sequence;
    this.#bytes += bytes;
    if (this.#requests.length + this.#others.length > this.#capacity) this.#pushOut(entry);
    if (this.#bytes > this.#maxBytes) this.#evict();
    for (const subscriber of this.#subscribers)
      if (subscriber({ bytes, text: () => this.#textNow(entry) }) === true) entry.isKept = true;
  }

  /** Pushes out the oldest request, or the oldest other run if these have more than their share; the newest last of all. */
  #pushOut(newest: Entry): void {
    const isFull = this.#others.length > otherRunsIn(this.#capacity);
    const first = isFull ? this.#others : this.#requests;
    const second = isFull ? this.#requests : this.#others;
    const entry = (first[0] === undefined || first[0] === newest ? second : first).shift() ?? first.shift();
    if (entry === undefined) return;
    entry.isHeld = false;
    this.#bytes -= entry.bytes;
    if (entry.isKept) this.#traceOf(entry);
  }

  #oldestFirst(): Entry[] {
    if (this.#others.length === 0) return this.#requests;
    return [...this.#requests, ...this.#others].sort((a, b) => a.sequence - b.sequence);
  }

  /** The newest first. */
  #entries(): Entry[] {
    return [...this.#oldestFirst()].reverse();
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
    for (const entry of this.#oldestFirst()) {
      if (entry.sequence > this.#due) break;
      if (!isWaiting(entry.held)) continue;
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
    for (const entry of this.#oldestFirst()) if (isShort()) this.#traceOf(entry);
    for (const entry of this.#oldestFirst()) {
      if (entry.text === undefined || !isShort()) continue;
      this.#grow(entry, -2 * entry.text.length);
      entry.text = undefined;
    }
    for (const entry of this.#oldestFirst()) {
      if (entry.payloadBytes === 0 || !isShort()) continue;
      entry.held = withoutPayloads(this.#traceOf(entry));
      this.#grow(entry, -entry.payloadBytes);
      entry.payloadBytes = 0;
    }
  }

  /** Changes the memory of an entry. One that others have pushed out no longer counts. */
  #grow(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    if (entry.isHeld) this.#bytes += bytes;
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
