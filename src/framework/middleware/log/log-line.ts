/**
 * Log line: one access log record as one line of printable ASCII, for any client input.
 *
 *   AccessLogLine ──▶ jsonLine ──▶ {"time":"…","method":"GET","path":"/a\u001bb",…}
 *                 ──▶ textLine ──▶ GET /a\u001bb 200 431us
 *
 * Everything outside 0x20–0x7E is escaped as in JSON (`\uXXXX`), so a line feed, a terminal sequence or a look-alike cannot
 * forge a second line or repaint a screen. The text form also escapes spaces, so it always has exactly four fields.
 *
 * Spec: spec/log.md, shape AccessLogLine
 */

/** One access log record. Times in integer microseconds. */
export interface AccessLogLine {
  /** When the request was over: ISO 8601, UTC, milliseconds. */
  readonly time: string;
  /** A known method or `_OTHER`. */
  readonly method: string;
  /** The raw request target without its query, at most 2,048 characters of it. */
  readonly path: string;
  /** Context path + pattern, or null when nothing matched. */
  readonly route: string | null;
  /** The status as sent, or 499 when the client left before the head was out. */
  readonly status: number;
  readonly durationUs: number;
  /** Body bytes sent. */
  readonly bytes: number;
  readonly remoteAddress: string | null;
  readonly requestId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly aborted?: true | undefined;
}

/** The record as JSON, on one line, without a line feed at the end. */
export function jsonLine(line: AccessLogLine): string {
  let text =
    `{"time":"${line.time}","method":"${line.method}","path":${quoted(line.path)},"route":${quotedOrNull(line.route)},` +
    `"status":${line.status},"durationUs":${line.durationUs},"bytes":${line.bytes},` +
    `"remoteAddress":${quotedOrNull(line.remoteAddress)}`;
  if (line.requestId !== undefined) text += `,"requestId":${quoted(line.requestId)}`;
  if (line.traceId !== undefined) text += `,"traceId":${quoted(line.traceId)}`;
  if (line.spanId !== undefined) text += `,"spanId":${quoted(line.spanId)}`;
  if (line.userAgent !== undefined) text += `,"userAgent":${quoted(line.userAgent)}`;
  return line.aborted === true ? `${text},"aborted":true}` : `${text}}`;
}

/** Method, path, status and duration, separated by single spaces, without a line feed at the end. */
export function textLine({ method, path, status, durationUs }: AccessLogLine): string {
  const field = path === "" ? "-" : quoted(path).slice(1, -1).replaceAll(" ", "\\u0020");
  return `${method} ${field} ${status} ${durationUs}us`;
}

/** Characters that JSON or a terminal would not print as they are: outside printable ASCII, or `"` or `\`. */
const UNSAFE = /[^ !#-[\]-~]/;

/** Is `text` free of them? Most are short, and a loop over them is done before the expression starts. */
function isSafe(text: string): boolean {
  if (text.length > 16) return !UNSAFE.test(text);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}

/** A JSON string of printable ASCII. */
export function quoted(text: string): string {
  if (isSafe(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function quotedOrNull(text: string | null): string {
  return text === null ? "null" : quoted(text);
}

let lastMs = -1;
let lastIso = "";

/** The time as ISO 8601 in UTC. Requests of the same millisecond share the string. */
export function isoTime(epochMs: number): string {
  if (epochMs !== lastMs) {
    lastIso = new Date(epochMs).toISOString();
    lastMs = epochMs;
  }
  return lastIso;
}
