/**
 * Numbers, names and errors as a developer reads them. Pure.
 */

import type { RouteInfo, Trace } from "./shapes.ts";

/** A route's name, e.g. `GET /users/{id}`, and its version if it has one. */
export const routeKey = ({ method, path, version = "" }: Pick<RouteInfo, "method" | "path" | "version">): string =>
  `${method} ${path} ${version}`.trim();

/** A run's name, unique for ever: `<instance>.<sequence>`. */
export const traceKey = ({ instance, sequence }: Pick<Trace, "instance" | "sequence">): string =>
  `${instance}.${sequence}`;

/**
 * A path as a person reads it: `/caf%C3%A9` is `/café`. Characters with a meaning of their own in a path, and those that cannot
 * be seen, stay encoded.
 */
export const shownPath = (path: string): string =>
  path.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded).replace(/[%/?#;]|(?! )[\p{C}\p{Z}]/gu, encodeURIComponent);
    } catch {
      return encoded; // Not UTF-8.
    }
  });

/** A duration in microseconds: `940 µs`, `6.31 ms`, `18.4 ms`, `2.50 s`, or null if it has not ended. */
export function duration(us: number | null): string {
  if (us === null) return "pending";
  if (us < 1_000) return `${Math.round(us)} µs`;
  if (us < 10_000) return `${(us / 1_000).toFixed(2)} ms`;
  if (us < 1_000_000) return `${(us / 1_000).toFixed(us < 100_000 ? 1 : 0)} ms`;
  return `${(us / 1_000_000).toFixed(2)} s`;
}

/** A size in bytes: `0 B`, `812 B`, `1.4 kB`, `3.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A whole number with separated thousands: `1,234`. The first `toLocaleString` of a page takes 50 ms. */
export function grouped(n: number): string {
  const digits = String(n);
  const first = digits.length % 3 || 3;
  return [digits.slice(0, first), ...(digits.slice(first).match(/.{3}/g) ?? [])].join(",");
}

/** `1 call`, `2 calls`; pass any plural that is not `+s`. */
export function count(n: number, one: string, many: string = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** A number for each second: `0`, `0.4`, `41.2`, `1,204`. A smaller one than 0.1 is not none. */
export function rate(perSecond: number): string {
  if (perSecond >= 100) return grouped(Math.round(perSecond));
  return perSecond === 0 ? "0" : perSecond < 0.1 ? "< 0.1" : perSecond.toFixed(1);
}

/** A wall clock time, `14:03:07`. */
export function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** A difference of durations in microseconds, with its sign: `+1.20 ms`, `−940 µs`, `±0 µs`. */
export function delta(us: number): string {
  return `${us > 0 ? "+" : us < 0 ? "−" : "±"}${duration(Math.abs(us))}`;
}

/** The value, or the nearest one between both bounds. */
export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
