/**
 * Known secrets: values that one trace has shown under a secret name, so that they are masked wherever else in it they
 * turn up: in the path, as a query's parameter, within a message.
 *
 *   { password: "hunter2!" } ──▶ remembered ──▶ "UPDATE … 'hunter2!'" becomes "UPDATE … '[redacted]'"
 *
 * At most 32 values of 4 to 4,096 characters are remembered. One of fewer than 8 is masked as a whole word only, so that
 * a PIN does not blank every number that contains it; one of fewer than 4 is not looked for at all.
 *
 * Spec: spec/trace.md (TRACE)
 */
import { REDACTED, type Json } from "../wire.ts";
import { ownData } from "./inspect.ts";
import { isSecretField } from "./secret-names.ts";

const bounds = { values: 32, shortest: 4, longest: 4_096, anywhere: 8, depth: 4, items: 32 } as const;

/** What most traces have: never added to. */
const none: Set<string> = new Set();

/** The secrets of one trace. */
export class KnownSecrets {
  #values: Set<string> = none;

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Remembers a value that stood under a secret name; of an object those within it, of a header its credentials. */
  add(value: unknown, depth = 0): void {
    if (this.#values.size >= bounds.values) return;
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number" || typeof value === "bigint") return this.#one(String(value));
    if (typeof value !== "object" || value === null || depth >= bounds.depth) return;
    for (const key of Object.keys(value).slice(0, bounds.items)) {
      const item = ownData(value, key);
      if (Array.isArray(value) || isSecretField(key, item)) this.add(item, depth + 1);
    }
  }

  #text(text: string): void {
    this.#one(text);
    const [, scheme = "", rest = ""] = /^(\w{4,12}) +(\S+)$/.exec(text.slice(0, bounds.longest)) ?? [];
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
    for (const pair of text.slice(0, bounds.longest).split(";", bounds.items)) {
      const at = pair.indexOf("=");
      const value = at < 0 ? "" : pair.slice(at + 1).trim();
      if (value.length >= bounds.anywhere) this.add(value);
    }
  }

  #one(value: string): void {
    if (value.length < bounds.shortest || value.length > bounds.longest || value === REDACTED) return;
    if (this.#values === none) this.#values = new Set();
    for (const form of formsOf(value)) this.#values.add(form);
  }

  /** The text, with every known secret replaced. One that ends in `…` was cut. */
  text(text: string): string {
    let shown = text;
    for (const value of this.#values)
      if (value.length <= shown.length && shown.includes(value)) shown = without(shown, value);
    return shown.endsWith("…") ? `${this.#cut(shown.slice(0, -1))}…` : shown;
  }

  /** The beginning of a text, with every known secret replaced, and the one that is cut at its end. */
  #cut(text: string): string {
    for (const value of this.#values)
      for (let length = Math.min(value.length - 1, text.length); length >= bounds.shortest; length -= 1)
        if (text.endsWith(value.slice(0, length))) return text.slice(0, -length) + REDACTED;
    return text;
  }

  /** The JSON value, with every known secret replaced; the value itself where there is none. */
  json(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#values.has(String(value)) ? REDACTED : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return this.list(value);
    return this.record(value as Readonly<Record<string, Json>>);
  }

  /** As `json`, of a list. */
  list<T extends Json>(items: readonly T[]): readonly T[] {
    const shown = items.map((item) => this.json(item) as T);
    return shown.some((item, index) => item !== items[index]) ? shown : items;
  }

  /** As `json`, of an object; its keys too. */
  record<T extends Readonly<Record<string, unknown>>>(record: T): T {
    const isCut = "$truncated" in record;
    const entries = Object.entries(record).map(([key, item]) => {
      const shown = this.json(item as Json);
      return [this.text(key), isCut && typeof shown === "string" ? this.#cut(shown) : shown] as const;
    });
    const isChanged = entries.some(([key, item]) => !Object.hasOwn(record, key) || record[key] !== item);
    return isChanged ? (Object.fromEntries(entries) as T) : record;
  }
}

/** A value as it stands in a text, in an address, in a form and within JSON. */
function formsOf(value: string): readonly string[] {
  if (/^[\w.~-]*$/.test(value)) return [value];
  return [
    value,
    encoding(value),
    new URLSearchParams([["", value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
  ];
}

function encoding(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // half of a pair of code units
  }
}

const isWordAt = (text: string, at: number): boolean => /\w/.test(text[at] ?? "");

function without(text: string, value: string): string {
  if (value.length >= bounds.anywhere) return text.replaceAll(value, () => REDACTED);
  let shown = "";
  let from = 0;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (at < from || isWordAt(text, at - 1) || isWordAt(text, at + value.length)) continue;
    shown += text.slice(from, at) + REDACTED;
    from = at + value.length;
  }
  return shown + text.slice(from);
}
