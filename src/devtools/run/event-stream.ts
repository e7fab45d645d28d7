/**
 * Streamed bodies as items: the events of a text/event-stream, as the HTML standard reads them, and rows of JSON. Pure.
 *
 *   text, text … ──▶ ItemReader ──▶ { event, id, data } …   an item that is cut waits for its rest
 */

import type { Trace } from "./shapes.ts";
import { isObject, jsonOf } from "./values.ts";

/** One dispatched event, or one row. */
export interface StreamEvent {
  /** `message` when the stream names none. Empty for a row. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Takes the next text of a stream, and returns the items that it completes. */
export type ItemReader = (text: string) => StreamEvent[];

/** A reader for this Content-Type, or undefined if it is not one of events or rows. */
export function itemReader(contentType: string): ItemReader | undefined {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream") return eventReader();
  if (type === "application/json-seq") return sequenceReader();
  if (!/^application\/(x-ndjson|ndjson|jsonl)$/.test(type)) return undefined;
  const lines = lineReader();
  return (text) => rowsOf(lines(text));
}

/** The complete events of this text. Comments, `retry` and a cut last event are left out. */
export const readEvents = (text: string): StreamEvent[] => eventReader()(text.replace(/^\uFEFF/, ""));

/** The items in the recorded body of a run, and the bytes that were not kept. Undefined if it has none. */
export function recordedItems({
  response: { headers, body },
}: Pick<Trace, "response">):
  | { readonly items: StreamEvent[]; readonly text: string; readonly left: number }
  | undefined {
  const { $string: beginning = body, $truncated: left = 0 } = isObject(body) ? body : {};
  const read = itemReader(headers["content-type"]?.[0] ?? "");
  if (!read || typeof beginning !== "string") return undefined;
  return { items: read(beginning), text: beginning, left: Number(left) };
}

function eventReader(): ItemReader {
  const lines = lineReader();
  let [event, id] = ["", ""];
  let data: string[] = [];
  return (text) => {
    const events: StreamEvent[] = [];
    for (const line of lines(text)) {
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
  };
}

/** Complete lines. A CR ends its line at once, and an LF after it belongs to it. */
function lineReader(): (text: string) => string[] {
  let [rest, wasReturn] = ["", false];
  return (text) => {
    if (text === "") return [];
    const [first = "", ...more] = (wasReturn ? text.replace(/^\n/, "") : text).split(/\r\n|\r|\n/);
    wasReturn = text.endsWith("\r");
    const lines = [rest + first, ...more];
    rest = lines.pop() ?? "";
    return lines;
  };
}

/** Texts after a record separator (RFC 7464). The last one is complete with its line feed. */
function sequenceReader(): ItemReader {
  let rest = "";
  return (text) => {
    const [first = "", ...more] = text.split("\u001E");
    const texts = [rest + first, ...more];
    rest = texts.pop() ?? "";
    if (rest.endsWith("\n") && jsonOf(rest) !== undefined) {
      texts.push(rest);
      rest = "";
    }
    return rowsOf(texts);
  };
}

const rowsOf = (texts: readonly string[]): StreamEvent[] =>
  texts.map((text) => ({ event: "", id: "", data: text.trim() })).filter(({ data }) => data !== "");
