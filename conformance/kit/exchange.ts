/** The messages between suite and subject, kept for the report. A mutant rewrites them. */
import { isUtf8 } from "node:buffer";
import type { HeaderLines } from "./response.ts";
import type { StreamItem } from "./event-stream.ts";

/** The request of an exchange. Method and target are empty if the bytes contained none. */
export interface Sent {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** The target without its query. */
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body: string;
  /** The body if it is not UTF-8, since `body` cannot hold it. */
  readonly bytes?: Buffer;
}

/** A whole response and the request it belongs to. */
export interface Exchange {
  readonly sent: Sent;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: string;
  /** The number of earlier responses to the same method and path in the case. */
  readonly earlier?: number;
  /** Milliseconds to delay the response. A mutant sets it. */
  readonly delayMs?: number;
  /**
   * "close" drops the connection without a response, "truncate" in the middle of the body. It is received so, or a mutant sets
   * it.
   */
  readonly cut?: "close" | "truncate";
}

/** One item of a stream, with its index. */
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

/** A readable line: the request and the response. */
export function describeExchange({ sent: { method, target, body }, ...response }: Exchange): string {
  const request = `${method || "(bytes)"} ${short(target, 100)}${body === "" ? "" : ` ${short(body)}`}`;
  const cut = response.cut === "truncate" ? " (cut)" : "";
  return `${request} → ${response.status === 0 ? "no response" : response.status}${cut} ${short(response.body)}`.trim();
}

/** The text on one line, no longer than this, with terminal control characters escaped. */
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

/** Does it only read what the subject reports about itself? Then another exchange caused what it shows. */
export function isObservation({ sent: { path } }: Pick<Exchange, "sent">): boolean {
  return path.startsWith("/__subject/") || path.startsWith("/framework/dev/api/");
}
