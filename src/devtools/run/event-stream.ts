/**
 * Reads a text/event-stream body into events, as the HTML standard does. Pure.
 */

/** One dispatched event. */
export interface StreamEvent {
  /** `message` when the stream names none. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** The complete events of this text. Comments, `retry` and a cut last event are left out. */
export function readEvents(text: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  let [event, id] = ["", ""];
  let data: string[] = [];
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  for (const line of lines.slice(0, -1)) {
    if (!line) {
      if (data.length > 0) events.push({ event: event ? event : "message", id, data: data.join("\n") });
      [event, data] = ["", []];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data.push(value);
    if (field === "id" && !value.includes("\0")) id = value;
  }
  return events;
}
