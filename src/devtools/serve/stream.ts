/**
 * Stream: completed traces, for every page that listens.
 *
 *   store ──▶ each client sends what is after its own cursor ──▶ event: trace
 *               │ the first few of a burst immediately, the rest together, so that a page does not slow the application
 *               │ a slow client waits with its cursor, not with a queue
 *               ▼ traces that have left the ring ──▶ event: gap, with a count
 *
 *   in flight ──▶ checked while a client listens ──▶ event: started, without an id: nothing is replayed from it
 *   the event loop is measured while a client listens (loop-delay.ts)
 *   graph, routes ──▶ checked then, and before the first trace of a window ──▶ event: graph, without an id
 *
 * A client costs at most its buffer, since only the ring is queued for it. One that lags by a whole ring more than a gap can
 * report is cut off.
 *
 * Spec: spec/stream.md
 */
import { SseBatch, type SseEvent, type SseStream } from "framework";
import type { Gap } from "../run/shapes.ts";
import { GAP_EVENT, GRAPH_EVENT, HEARTBEAT_MS, RETRY_MS, STARTED_EVENT, TRACE_EVENT } from "../run/wire.ts";
import type { TraceStore } from "../keep/store.ts";
import type { InFlight } from "../record/in-flight.ts";
import type { LoopDelay } from "./loop-delay.ts";

/** The used part of an SSE stream. */
export type EventSink = Pick<SseStream, "send" | "comment" | "close" | "bufferedBytes" | "signal" | "lastEventId">;

const graphEvent = new SseBatch([{ event: GRAPH_EVENT, data: "{}" }]);

/** Traces of one window that are sent immediately to a lone client. Later ones wait for the window's end. */
const atOnce = 1_600;
const windowMs = 100;
/** How often runs in flight, and graph and routes, are checked. */
const lookMs = 200;
/** How often a slow client is checked again. */
const catchUpMs = 50;
/** The most bytes of an event's lines without its data, and a gap before it. */
const frameBytes = 256;
/** Traces that a client may miss before it is cut off. */
const maxMissed = 100;

/** The clients of the stream. */
export class TraceStream {
  readonly #store: TraceStore;
  readonly #inFlight: Pick<InFlight, "due">;
  /** Describes graph and routes in a text that differs after a change. */
  readonly #shape: () => string;
  readonly #loop: Pick<LoopDelay, "start" | "stop"> | undefined;
  readonly #maxClients: number;
  readonly #maxBuffered: number;
  readonly #clients = new Set<Client>();
  #unsubscribe: (() => void) | undefined;
  #windowAt = Number.NEGATIVE_INFINITY;
  #leftAtOnce = 0;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(
    store: TraceStore,
    maxClients: number,
    maxBuffered: number,
    inFlight: Pick<InFlight, "due"> = { due: () => [] },
    shape: () => string = () => "",
    loop?: Pick<LoopDelay, "start" | "stop">,
  ) {
    this.#loop = loop;
    this.#store = store;
    this.#inFlight = inFlight;
    this.#shape = shape;
    this.#maxClients = maxClients;
    this.#maxBuffered = maxBuffered;
  }

  get clients(): number {
    return this.#clients.size;
  }

  get full(): boolean {
    return this.#clients.size >= this.#maxClients;
  }

  serve(sink: EventSink): void {
    const client = new Client(sink, this.#store, this.#maxBuffered, this.#shape());
    this.#clients.add(client);
    sink.signal.addEventListener("abort", () => this.#drop(client));
    this.#unsubscribe ??= this.#store.subscribe(() => this.#tell());
    this.#heartbeat ??= setInterval(() => this.#each((each, batches) => each.beat(batches)), HEARTBEAT_MS).unref();
    this.#looking ??= setInterval(() => this.#look(), lookMs).unref();
    this.#loop?.start();
    client.greet();
    if (client.lost || sink.signal.aborted) this.#drop(client);
  }

  close(): void {
    for (const client of Array.from(this.#clients)) this.#drop(client);
  }

  #tell(): void {
    if (this.#gathering !== undefined) return;
    const now = performance.now();
    if (now - this.#windowAt >= windowMs) {
      this.#windowAt = now;
      this.#leftAtOnce = Math.floor(atOnce / this.#clients.size ** 2);
      this.#tellShape();
    }
    this.#leftAtOnce--;
    if (this.#leftAtOnce >= 0) this.#pump();
    else this.#gathering = setTimeout(() => this.#pump(), this.#windowAt + windowMs - now).unref();
  }

  #look(): void {
    this.#tellShape();
    const started = this.#inFlight.due();
    if (started.length === 0) return;
    const events = new SseBatch(started.map((run) => ({ event: STARTED_EVENT, data: JSON.stringify(run) })));
    this.#each((client) => client.tell(events));
  }

  #tellShape(): void {
    const shape = this.#shape();
    this.#each((client) => client.tellShape(shape));
  }

  #pump(): void {
    this.#gathering = undefined;
    this.#each((each, batches) => each.pump(batches));
  }

  #each(action: (client: Client, batches: Batches) => void): void {
    const batches = new Batches(this.#store, this.#maxBuffered);
    for (const client of Array.from(this.#clients)) {
      action(client, batches);
      if (client.lost) this.#drop(client);
    }
  }

  #drop(client: Client): void {
    if (!this.#clients.delete(client)) return;
    client.end();
    if (this.#clients.size > 0) return;
    this.#loop?.stop();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
    clearInterval(this.#looking);
    this.#looking = undefined;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }
}

interface Batch {
  readonly after: number;
  /** The sequence of the last of them. */
  readonly to: number;
  readonly events: SseBatch;
}

/**
 * The batches of one turn, framed once for all pages at the same position, which most are most of the time. Only valid for
 * that turn, since later there are more traces, and kept ones change.
 */
class Batches {
  readonly #store: TraceStore;
  readonly #maxBuffered: number;
  #newest: Batch | undefined;

  constructor(store: TraceStore, maxBuffered: number) {
    this.#store = store;
    this.#maxBuffered = maxBuffered;
  }

  /** The traces after that sequence, as many as may wait for one client, one at least, or undefined if there are none. */
  after(cursor: number): Batch | undefined {
    if (this.#newest?.after === cursor) return this.#newest;
    const { instance } = this.#store;
    const events: SseEvent[] = [];
    let bytes = 0;
    let to = cursor;
    for (let text = this.#store.textOf(to + 1); text !== undefined; text = this.#store.textOf(to + 1)) {
      bytes += Buffer.byteLength(text) + frameBytes;
      if (events.length > 0 && bytes > this.#maxBuffered) break;
      to++;
      events.push({ event: TRACE_EVENT, id: `${instance}.${to}`, data: text });
    }
    if (events.length === 0) return undefined;
    return (this.#newest = { after: cursor, to, events: new SseBatch(events) });
  }
}

class Client {
  readonly #sink: EventSink;
  readonly #store: TraceStore;
  readonly #maxBuffered: number;
  /** The sequence of the last trace that was sent, or dropped. */
  #cursor: number;
  /** The last sequence at a gap without a number, which covers all before it. */
  #reported = 0;
  /** The graph and routes at its last report, or at its start. */
  #shape: string;
  #missed = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether it must be cut off. */
  lost = false;

  constructor(sink: EventSink, store: TraceStore, maxBuffered: number, shape: string) {
    this.#sink = sink;
    this.#store = store;
    this.#maxBuffered = maxBuffered;
    this.#shape = shape;
    this.#cursor = store.last;
  }

  /** Sends the first comment immediately, then the traces that a returning client has missed. */
  greet(): void {
    this.#sink.comment("connected");
    this.#sink.send({ retry: RETRY_MS });
    const { lastEventId } = this.#sink;
    if (lastEventId === undefined || lastEventId === "") return;
    const seen = this.#seenOf(lastEventId);
    this.#cursor = seen ?? this.#store.first - 1;
    if (seen === undefined) {
      this.#reported = this.#store.last;
      this.#sink.send({ event: GAP_EVENT, data: JSON.stringify({ missed: null } satisfies Gap) });
    }
    this.pump();
  }

  /** Sends traces after the cursor, while there is room. */
  pump(batches: Batches = new Batches(this.#store, this.#maxBuffered)): void {
    for (;;) {
      this.#skip();
      const batch = batches.after(this.#cursor);
      if (batch === undefined || !this.#hasRoom(batch.events.bytes.length)) break;
      this.#tellMissed();
      this.#cursor = batch.to;
      this.#sink.send(batch.events);
    }
    if (this.#hasRoom(0)) this.#tellMissed();
    if (this.#missed >= maxMissed) this.lost = true;
    else if (this.#cursor < this.#store.last) this.#timer ??= setTimeout(() => this.#again(), catchUpMs).unref();
  }

  /** Passes the traces that are no longer held. */
  #skip(): void {
    const to = this.#store.nextAfter(this.#cursor) - 1;
    this.#missed += Math.max(0, to - Math.max(this.#cursor, this.#reported));
    this.#cursor = to;
  }

  /** Sends events that need not wait; a slow client does not get them. */
  tell(events: SseBatch): void {
    if (this.#hasRoom(events.bytes.length)) this.#sink.send(events);
  }

  /** Reports changed graph or routes; a slow client gets that when it has caught up. */
  tellShape(shape: string): void {
    if (shape === this.#shape || !this.#hasRoom(graphEvent.bytes.length)) return;
    this.#shape = shape;
    this.#sink.send(graphEvent);
  }

  beat(batches: Batches): void {
    this.pump(batches);
    if (this.#hasRoom(0)) this.#sink.comment("heartbeat");
  }

  end(): void {
    this.lost = true;
    clearTimeout(this.#timer);
    this.#sink.close();
  }

  #again(): void {
    this.#timer = undefined;
    if (!this.lost) this.pump();
  }

  /** Whether there is room for this number of bytes. A larger batch than the bound goes alone. */
  #hasRoom(bytes: number): boolean {
    const { bufferedBytes } = this.#sink;
    return bufferedBytes === 0 || bufferedBytes + bytes <= this.#maxBuffered;
  }

  #tellMissed(): void {
    if (this.#missed === 0) return;
    this.#sink.send({ event: GAP_EVENT, data: JSON.stringify({ missed: this.#missed } satisfies Gap) });
    this.#missed = 0;
  }

  /** The sequence in an id of this instance, or undefined for any other. */
  #seenOf(lastEventId: string): number | undefined {
    const { instance, last } = this.#store;
    if (!lastEventId.startsWith(`${instance}.`)) return undefined;
    const sequence = lastEventId.slice(instance.length + 1);
    return /^\d{1,15}$/.test(sequence) ? Math.min(Number(sequence), last) : undefined;
  }
}
