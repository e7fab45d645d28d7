/** What passed between suite and subject, kept for the report and as what a mutant rewrites. */
import { isUtf8 } from "node:buffer";
import type { HeaderLines } from "./response.ts";
import type { StreamItem } from "./event-stream.ts";

/** The request of an exchange; method and target are empty when the bytes held none. */
export interface Sent {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The target without its query. */
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body: string;
  /** The body where it is no UTF-8: `body` cannot hold it then. */
  readonly bytes?: Buffer;
}

/** A whole response and the request it belongs to. */
export interface Exchange {
  readonly sent: Sent;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: string;
  /** How many responses to the same method and path the case had before it. */
  readonly earlier?: number;
  /** Milliseconds to hold the response back; a mutant sets it. */
  readonly delayMs?: number;
  /** "close" drops the connection without a response, "truncate" in the middle of the body: so it came, or a mutant sets it. */
  readonly cut?: "close" | "truncate";
}

/** One item of a stream, with its place in it. */
export interface StreamStep {
  readonly sent: Sent;
  readonly item: StreamItem;
  readonly index: number;
}

/** The request of an exchange. */
export function sent(method: string, target: string, headers: HeaderLines = [], body: string | Buffer = ""): Sent {
  const bytes = typeof body === "string" || isUtf8(body) ? {} : { bytes: body };
  return { method, target, path: target.split("?", 1)[0] ?? "", headers, body: String(body), ...bytes };
}

/** A line a person can read: what was sent, what came back. */
export function describeExchange({ sent: { method, target, body }, ...response }: Exchange): string {
  const request = `${method || "(bytes)"} ${short(target, 100)}${body === "" ? "" : ` ${short(body)}`}`;
  const cut = response.cut === "truncate" ? " (cut)" : "";
  return `${request} → ${response.status === 0 ? "no response" : response.status}${cut} ${short(response.body)}`.trim();
}

/** On one line, no longer than this, and with what a terminal would obey written out. */
export function short(text: string, most = 200): string {
  const line = text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(
      /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
      (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
    );
  return line.length > most ? `${line.slice(0, most)}… (${text.length} characters)` : line;
}

/** Does it only read what the subject says of itself? What it shows was caused by another exchange. */
export function isObservation({ sent: { path } }: Pick<Exchange, "sent">): boolean {
  return path.startsWith("/__subject/") || path.startsWith("/framework/dev/api/");
}
