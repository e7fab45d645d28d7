/**
 * Server-Sent Events, both ways: the items of a stream as values, and values as text.
 * eventsource-parser, the parser that most EventSource clients share, reads the field grammar.
 */
import { createParser } from "eventsource-parser";

/** One item of a stream: an event, a comment, or a reconnection time in milliseconds. */
export interface StreamItem {
  readonly kind: "event" | "comment" | "retry";
  /** The name of an event. Absent if the stream gave none. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  /** An event's data, a comment's text, or the number of a retry. */
  readonly data: string;
}

/** Takes text, reports items in order. */
export function itemReader(tell: (item: StreamItem) => void): (text: string) => void {
  const parser = createParser({
    onEvent: ({ event, id, data }) => tell({ kind: "event", event, id, data }),
    onComment: (data) => tell({ kind: "comment", data }),
    onRetry: (interval) => tell({ kind: "retry", data: String(interval) }),
  });
  let endsInCr = false;
  // The parser waits for the character after a CR, but a line may end with a CR alone.
  return (text) => {
    const rest = endsInCr && text.startsWith("\n") ? text.slice(1) : text;
    endsInCr = text.endsWith("\r");
    parser.feed(rest.replaceAll(/\r\n?/g, "\n"));
  };
}
