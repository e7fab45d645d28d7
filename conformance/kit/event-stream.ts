/**
 * Server-Sent Events, both ways: what came over a stream as values, and values as text again.
 * The field grammar is read by eventsource-parser, the parser that most EventSource clients share.
 */
import { createParser } from "eventsource-parser";

/** One thing that came over a stream: an event, a comment, or a reconnection time in milliseconds. */
export interface StreamItem {
  readonly kind: "event" | "comment" | "retry";
  /** Name of an event; absent when the stream named none. */
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  /** An event's data, a comment's text, the number of a retry. */
  readonly data: string;
}

/** Feeds on text, tells items in order. */
export function itemReader(tell: (item: StreamItem) => void): (text: string) => void {
  const parser = createParser({
    onEvent: ({ event, id, data }) => tell({ kind: "event", event, id, data }),
    onComment: (data) => tell({ kind: "comment", data }),
    onRetry: (interval) => tell({ kind: "retry", data: String(interval) }),
  });
  let endsInCr = false;
  // The parser waits for what follows a CR; a line may end with one alone.
  return (text) => {
    const rest = endsInCr && text.startsWith("\n") ? text.slice(1) : text;
    endsInCr = text.endsWith("\r");
    parser.feed(rest.replaceAll(/\r\n?/g, "\n"));
  };
}
