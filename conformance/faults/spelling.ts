/**
 * Equivalent JSON: a value with parts in another spelling, and a text with another layout.
 *
 *   {"id":"é","n":1}     {"\u0069d": "\u00e9" ,"n":1.0}
 *
 * Spec: RFC 8259
 */
import type { Site } from "./fields.ts";

/** Respells the text of a name or of a value. */
export type Spell = (text: string) => string;

/** A JSON document to be written with marked parts respelled. */
export class Draft {
  readonly value: unknown;
  readonly #values = new Map<object, Map<string, Spell>>();
  readonly #names = new Map<object, Map<string, Spell>>();

  /** @throws SyntaxError if the text is not JSON */
  constructor(text: string) {
    this.value = JSON.parse(text);
  }

  /** Respells the value at that place, after earlier spellings. */
  spell(site: Site, spell: Spell): void {
    mark(this.#values, site, spell);
  }

  /** Respells the name of the member. */
  spellName(site: Site, spell: Spell): void {
    mark(this.#names, site, spell);
  }

  toString(): string {
    return this.#written({ value: this.value }, "value", this.value);
  }

  #written(owner: object, key: string, value: unknown): string {
    return spelt(this.#values, owner, key, this.#plain(value));
  }

  #plain(value: unknown): string {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const parts = Object.entries(value);
    if (Array.isArray(value)) return `[${parts.map(([key, part]) => this.#written(value, key, part)).join(",")}]`;
    const named = (key: string): string => spelt(this.#names, value, key, JSON.stringify(key));
    return `{${parts.map(([key, part]) => `${named(key)}:${this.#written(value, key, part)}`).join(",")}}`;
  }
}

function mark(marks: Map<object, Map<string, Spell>>, { owner, key }: Site, spell: Spell): void {
  const mine = marks.get(owner) ?? new Map<string, Spell>();
  const before = mine.get(key);
  marks.set(owner, mine.set(key, before === undefined ? spell : (text) => spell(before(text))));
}

const spelt = (
  marks: ReadonlyMap<object, ReadonlyMap<string, Spell>>,
  owner: object,
  key: string,
  text: string,
): string => marks.get(owner)?.get(key)?.(text) ?? text;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The members of an object in a document, in the order of `sort`. */
export function inOrder(found: unknown, sort: (names: readonly string[]) => readonly string[]): void {
  if (typeof found !== "object" || found === null || Array.isArray(found)) return;
  const members = Object.entries(found);
  for (const [name] of members) Reflect.deleteProperty(found, name);
  for (const name of sort(members.map(([one]) => one)))
    Reflect.set(found, name, members.find(([one]) => one === name)?.[1]);
}

/** Each character of a quoted text as its number, or itself if it is not such a text. */
export const inNumbers: Spell = (text) =>
  text.startsWith('"') ? `"${(JSON.parse(text) as string).split("").map(escaped).join("")}"` : text;

/** Its first character as its number. */
export const firstInNumbers: Spell = (text) => text.replace(/^"([^"\\])/, (_, char: string) => `"${escaped(char)}`);

/** A whole number with a fraction of zero. */
export const withFraction: Spell = (text) =>
  /^-?\d+$/.test(text) ? `${text}.0` : /^-?\d+\.\d+$/.test(text) ? `${text}0` : text;

/** A number with an exponent of zero. */
export const withExponent: Spell = (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? `${text}E+0` : text);

/** With whitespace on both sides. */
export const amongBlanks: Spell = (text) => ` ${text}\t`;

/** JSON text with other whitespace between its parts: `space` writes each punctuation mark. */
const spaced =
  (space: Spell): Spell =>
  (text) =>
    text.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (part) => (part.startsWith('"') ? part : space(part)));

/** The layouts of a document, by name. */
export const layouts: Readonly<Record<string, Spell>> = {
  "a line feed behind": (text) => `${text}\n`,
  "blanks before": (text) => ` \t\r\n${text}`,
  "a line for each member": spaced((part) => (part === "," ? ",\n  " : part === ":" ? ": " : part)),
  "blanks around all": spaced((part) => ` ${part}\t`),
};

/** Alternative spellings of characters. */
export const characters: Readonly<Record<string, Spell>> = {
  "in ASCII": (text) => text.replaceAll(/[\u0080-\uffff]/g, escaped),
  "slashes escaped": (text) => text.replaceAll("/", String.raw`\/`),
};
