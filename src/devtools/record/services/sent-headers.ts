/**
 * Sent headers: the header lines of one request, read once.
 *
 *   Host: localhost:8080 ──▶ lines: host, localhost:8080, …    host · correlationId · asksForReplay · isForwarded
 *
 * Devtools need several facts from the head of every request. One look at each line finds them all. The list of lines
 * belongs to the trace, so later changes by the application to its request do not affect it.
 *
 * Spec: spec/trace.md
 */
import type { Context } from "framework";
import { REPLAY_HEADER, CORRELATION_HEADER, CORRELATION_PATTERN } from "../../run/wire.ts";

/** Fields that only a browser or a proxy sends. */
const tells: readonly string[] = [
  "origin",
  "sec-fetch-site",
  "forwarded",
  "via",
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-host",
];

const HOST = 1;
const TELLS = 2;
const CORRELATION = 3;
const REPLAY = 4;

const wanted: ReadonlyMap<string, number> = new Map([
  ["host", HOST],
  ...tells.map((name) => [name, TELLS] as const),
  [CORRELATION_HEADER.toLowerCase(), CORRELATION],
  [REPLAY_HEADER.toLowerCase(), REPLAY],
]);

/** The head of one request. */
export class SentHeaders {
  /** Name, value, name, value; names in lower case. */
  readonly lines: readonly string[];
  readonly chars: number;
  /** The value of the first Host line. */
  readonly host: string | undefined;
  /** Whether there is a field that a browser or a proxy sends. */
  readonly isForwarded: boolean;
  readonly asksForReplay: boolean;
  readonly #correlation: string | undefined;

  constructor(ctx: Pick<Context, "requestHeaders">) {
    const lines: string[] = [];
    let [chars, isForwarded, asksForReplay] = [0, false, false];
    let host: string | undefined;
    let correlation: string | undefined;
    for (const [given, value] of ctx.requestHeaders()) {
      const name = given.toLowerCase();
      lines.push(name, value);
      chars += name.length + value.length;
      const found = wanted.get(name);
      if (found === undefined) continue;
      if (found === HOST) host ??= value;
      else if (found === TELLS) isForwarded = true;
      else if (found === REPLAY) asksForReplay = true;
      // Two lines count as none, because no valid value has a space.
      else correlation = correlation === undefined ? value : " ";
    }
    this.lines = lines;
    this.chars = chars;
    this.host = host;
    this.isForwarded = isForwarded;
    this.asksForReplay = asksForReplay;
    this.#correlation = correlation;
  }

  /** A valid, single `X-Framework-Dev` value. */
  get correlationId(): string | null {
    const value = this.#correlation;
    return value !== undefined && CORRELATION_PATTERN.test(value) ? value : null;
  }
}
