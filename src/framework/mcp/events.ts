/**
 * Reads Server-Sent Events as they come from a route (WHATWG HTML §9.2), up to a number of events and of characters.
 *
 *   "event: price\ndata: {…}\n\n" ──▶ { event: "price", data: "{…}" } ──▶ told, and kept for the result
 *   enough of them ──▶ onFull, once
 */

/** One event. */
export interface ReadEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads the events of one response. */
export class EventReader {
  /** All events so far. */
  readonly events: ReadEvent[] = [];
  /** Called when it takes no more. */
  onFull: (() => void) | undefined = undefined;
  /** Did it stop before the stream did? */
  isFull = false;
  readonly #told: (event: ReadEvent, count: number) => void;
  readonly #most: number;
  readonly #decoder = new TextDecoder();
  #room: number;
  #rest = "";
  #data: string[] = [];
  #event = "";

  /** @param most events and characters at most */
  constructor(
    most: { readonly events: number; readonly chars: number },
    told: (event: ReadEvent, count: number) => void,
  ) {
    this.#most = most.events;
    this.#room = most.chars;
    this.#told = told;
  }

  /** Reads the next bytes. */
  read(bytes: Uint8Array): void {
    if (this.isFull) return;
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.#room -= bytes.length;
    // A CR at the end may be half of a line end.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#line(line);
      if (this.isFull) return;
    }
    if (this.#room < 0) this.stop();
  }

  /** Takes no more. */
  stop(): void {
    if (this.isFull) return;
    this.isFull = true;
    this.onFull?.();
  }

  #line(line: string): void {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
  }

  #dispatch(): void {
    const [data, event] = [this.#data, this.#event];
    this.#data = [];
    this.#event = "";
    if (data.length === 0) return;
    const read = { event: event === "" ? "message" : event, data: data.join("\n") };
    this.events.push(read);
    this.#told(read, this.events.length);
    if (this.events.length >= this.#most) this.stop();
  }
}
