/**
 * Values in OTLP's JSON form: attributes, times and ids.
 *
 *   { "http.route": "/a", count: 3 } ──▶ [{ key: "http.route", value: { stringValue: "/a" } }, { key: "count", value: { intValue: "3" } }]
 */
import type { TimeInput } from "@opentelemetry/api";
import { base64Of } from "../../internal/base64.ts";
import type { Message } from "./protobuf.ts";

/** More attributes, events and links than this are counted and left out. */
export const MAX_COUNT = 128;
/** A longer text is cut. */
const MAX_TEXT = 32_768;
/** A list or an object below this depth is left out. */
const MAX_DEPTH = 8;
/** All values of an item: a log line may have a field with half of the app behind it. */
const MAX_VALUES = 1_000;

/** How many values may still follow. */
interface Budget {
  left: number;
}

/** Attributes as a list. Those without a value are left out. Runs no code of the values, except getters of objects. */
export const attributesOf = (values: object, depth = 0, budget: Budget = { left: MAX_VALUES }): Message[] =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null && typeof value !== "function")
    .slice(0, Math.min(MAX_COUNT, budget.left))
    .map(([key, value]) => ({ key, value: anyValue(value, depth, budget) }));

/** Any value as an AnyValue. */
export function anyValue(value: unknown, depth = 0, budget: Budget = { left: MAX_VALUES }): Message {
  budget.left -= 1;
  if (typeof value === "string") return { stringValue: cut(value) };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isSafeInteger(value) ? { intValue: `${value}` } : doubleOf(value);
  if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) return { intValue: `${value}` };
  if (value instanceof Uint8Array) return { bytesValue: base64Of(value.subarray(0, MAX_TEXT)) };
  if (value instanceof Date) return { stringValue: Number.isNaN(value.getTime()) ? "" : value.toISOString() };
  if (value instanceof Error) return { stringValue: cut(`${value.name}: ${value.message}`) };
  if (typeof value !== "object" || value === null) return value === null ? {} : { stringValue: cut(String(value)) };
  if (depth >= MAX_DEPTH || budget.left <= 0) return {};
  if (Array.isArray(value))
    return {
      arrayValue: { values: value.slice(0, MAX_COUNT).map((one: unknown) => anyValue(one, depth + 1, budget)) },
    };
  return { kvlistValue: { values: attributesOf(value, depth + 1, budget) } };
}

/** JSON has no such numbers, and OTLP writes them as texts. */
const doubleOf = (value: number): Message => ({ doubleValue: Number.isFinite(value) ? value : String(value) });
const cut = (text: string): string => (text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text);

/** Milliseconds of the wall clock when the monotonic clock is 0. */
let origin = performance.timeOrigin;
/** The clocks drift apart, by NTP or while the machine sleeps. */
const MAX_DRIFT_MS = 50;

/** Now, on the monotonic clock. */
export function now(): number {
  const ms = performance.now();
  const drift = Date.now() - (origin + ms);
  if (drift > MAX_DRIFT_MS || drift < -MAX_DRIFT_MS) origin += drift;
  return ms;
}

/** A time of the API on the monotonic clock. As in the SDK, a small number is one of that clock already. */
export function monotonic(time: TimeInput | undefined): number {
  if (time === undefined) return now();
  if (typeof time === "number") return time < performance.timeOrigin ? time : time - origin;
  return (time instanceof Date ? time.getTime() : time[0] * 1_000 + time[1] / 1e6) - origin;
}

/** Nanoseconds since 1970 as a text, from a time of the monotonic clock. Exact to the microsecond. */
export const nanosOf = (ms: number): string => `${Math.max(0, Math.round((origin + ms) * 1_000))}000`;

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const pool = new Uint8Array(4_096);
let left = 0;

/** A random id of so many bytes, in hex and not all zeros. */
export function randomId(bytes: number): string {
  if (left < bytes) left = crypto.getRandomValues(pool).length;
  let id = "";
  for (const byte of pool.subarray(left - bytes, left)) id += hex[byte];
  left -= bytes;
  return /[^0]/.test(id) ? id : randomId(bytes);
}
