/**
 * Known secrets: values that one trace has under a secret name. They are masked everywhere else in that trace, for example
 * in the path, in a query parameter, or within a message.
 *
 *   { password: "hunter2!" } ──▶ remembered ──▶ "UPDATE … 'hunter2!'" becomes "UPDATE … '[redacted]'"
 *
 * All values of 4 characters or more are remembered. Past a bound of bytes only their beginnings are, so that more is masked and
 * never less (secrets/index.ts). A value of fewer than 8 is masked as a whole word only, so that a PIN does not blank every
 * number that contains it. One of fewer than 4 is not searched at all.
 *
 * Spec: spec/trace.md
 */
import type { Json } from "../../run/shapes.ts";
import { REDACTED } from "../../run/wire.ts";
import { ownData } from "../inspect.ts";
import { anywhereChars, isWordAt, SecretIndex, shortestChars } from "./index.ts";
import { isSecretField } from "./names.ts";

/** Up to these bounds, values are searched one after the other. For more values an index is made. */
const few = { values: 32, chars: 4_096 } as const;
/** How many values within secret objects are searched in one trace, and how deep. */
const bounds = { nodes: 10_000, depth: 16 } as const;

/** Shared by most traces, and never added to. */
const none: ReadonlySet<string> = new Set();

/** The secrets of one trace. */
export class KnownSecrets {
  #values = none;
  /** Replaces the values if there are many. */
  #index: SecretIndex | undefined;
  #nodes = 0;
  /** A secret object was too large to search, so any text may be one of its secrets. */
  #hidesAll = false;

  get isEmpty(): boolean {
    return this.#values.size === 0 && this.#index === undefined && !this.#hidesAll;
  }

  /** Remembers a value under a secret name; for an object the values in it, for a header its credentials. */
  add(value: unknown, above: readonly object[] = []): void {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number" || typeof value === "bigint") return this.#one(String(value));
    if (typeof value !== "object" || value === null || above.includes(value)) return;
    this.#hidesAll ||= above.length >= bounds.depth;
    const within = [...above, value];
    for (const key of Object.keys(value)) {
      this.#hidesAll ||= (this.#nodes += 1) > bounds.nodes;
      if (this.#hidesAll) return;
      const item = ownData(value, key);
      if (Array.isArray(value) || isSecretField(key, item)) this.add(item, within);
    }
  }

  #text(text: string): void {
    this.#one(text);
    const [, scheme = "", rest = ""] = /^(\w{4,12}) +(\S+)$/.exec(text) ?? [];
    if (/^(?:bearer|token|digest|negotiate|apikey)$/i.test(scheme)) this.#one(rest);
    if (/^basic$/i.test(scheme))
      this.#one(
        Buffer.from(rest, "base64")
          .toString("utf8")
          .replace(/^[^:]*:/, ""),
      );
  }

  /** Remembers the values of a Cookie or Set-Cookie header. */
  addCookies(text: string): void {
    for (const pair of text.split(";")) {
      const at = pair.indexOf("=");
      const value = at < 0 ? "" : pair.slice(at + 1).trim();
      if (value.length >= anywhereChars) this.add(value);
    }
  }

  #one(value: string): void {
    if (value.length < shortestChars || value === REDACTED) return;
    for (const form of formsOf(value)) {
      if (this.#index !== undefined) this.#index.add(form);
      else if (this.#values.size < few.values && form.length <= few.chars)
        this.#values = new Set([...this.#values, form]);
      else {
        this.#index = new SecretIndex([...this.#values, form]);
        this.#values = none;
      }
    }
  }

  /** The text, with every known secret replaced. One that ends in `…` was cut. */
  text(text: string): string {
    if (text.length < shortestChars) return text;
    if (this.#hidesAll) return REDACTED;
    const shown = this.#index?.text(text) ?? this.#without(text);
    return shown.endsWith("…") ? `${this.#cut(shown.slice(0, -1))}…` : shown;
  }

  #without(text: string): string {
    let shown = text;
    for (const value of this.#values)
      if (value.length <= shown.length && shown.includes(value)) shown = without(shown, value);
    return shown;
  }

  /** The beginning of a text, with every known secret replaced, and the one that is cut at its end. */
  #cut(text: string): string {
    if (this.#index !== undefined) return this.#index.cut(text);
    for (const value of this.#values)
      for (let length = Math.min(value.length - 1, text.length); length >= shortestChars; length -= 1)
        if (text.endsWith(value.slice(0, length))) return text.slice(0, -length) + REDACTED;
    return text;
  }

  /** The JSON value, with every known secret replaced; the same value if there is none. */
  json(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#isKnown(value) ? REDACTED : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return this.list(value);
    return this.record(value as Readonly<Record<string, Json>>);
  }

  #isKnown(value: number): boolean {
    const text = String(value);
    return this.#index === undefined && !this.#hidesAll ? this.#values.has(text) : this.text(text) === REDACTED;
  }

  list<T extends Json>(items: readonly T[]): readonly T[] {
    const shown = items.map((item) => this.json(item) as T);
    return shown.some((item, index) => item !== items[index]) ? shown : items;
  }

  /** Like `json`, for an object, and its keys too. */
  record<T extends Readonly<Record<string, unknown>>>(record: T): T {
    const isCut = "$truncated" in record;
    const entries = Object.entries(record).map(([key, item]) => {
      // A tag with its own meaning is kept: `{ $bytes: 12 }`. Keys of the application have `$$` there.
      const isTag = /^\$[a-z]/.test(key);
      const shown = isTag && typeof item === "number" ? item : this.json(item as Json);
      return [isTag ? key : this.text(key), isCut && typeof shown === "string" ? this.#cut(shown) : shown] as const;
    });
    const isChanged = entries.some(([key, item]) => !Object.hasOwn(record, key) || record[key] !== item);
    return isChanged ? (Object.fromEntries(entries) as T) : record;
  }
}

/** A value as written in a text, in an address, in a form and within JSON. */
function formsOf(value: string): readonly string[] {
  if (/^[\w.~-]*$/.test(value)) return [value];
  const inForm = new URLSearchParams([["", value]]).toString().slice(1);
  return [...new Set([value, encoding(value), inForm, JSON.stringify(value).slice(1, -1)])];
}

function encoding(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // half of a surrogate pair
  }
}

function without(text: string, value: string): string {
  if (value.length >= anywhereChars) return text.replaceAll(value, () => REDACTED);
  let shown = "";
  let from = 0;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (at < from || isWordAt(text, at - 1) || isWordAt(text, at + value.length)) continue;
    shown += text.slice(from, at) + REDACTED;
    from = at + value.length;
  }
  return shown + text.slice(from);
}
