/**
 * JSON that says the same in other words: a value whose parts are written otherwise, and a text laid out otherwise.
 *
 *   {"id":"é","n":1}     {"\u0069d": "\u00e9" ,"n":1.0}
 *
 * Spec: RFC 8259
 */
import type { Site } from "./fields.ts";

/** Another text for the text of a name or of a value. */
export type Spell = (text: string) => string;

/** A JSON document to be written anew, each part as it is marked. */
export class Draft {
  readonly value: unknown;
  readonly #values = new Map<object, Map<string, Spell>>();
  readonly #names = new Map<object, Map<string, Spell>>();

  /** @throws SyntaxError when the text is no JSON */
  constructor(text: string) {
    this.value = JSON.parse(text);
  }

  /** Has the value at that place written so, after what was marked before. */
  spell(site: Site, spell: Spell): void {
    mark(this.#values, site, spell);
  }

  /** Has the name of the member written so. */
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

/** The members of an object that stands in a document, in the order that `sort` gives them. */
export function inOrder(found: unknown, sort: (names: readonly string[]) => readonly string[]): void {
  if (typeof found !== "object" || found === null || Array.isArray(found)) return;
  const members = Object.entries(found);
  for (const [name] of members) Reflect.deleteProperty(found, name);
  for (const name of sort(members.map(([one]) => one)))
    Reflect.set(found, name, members.find(([one]) => one === name)?.[1]);
}

/** Each character of a text in quotes by its number. Where it is no such text, itself. */
export const inNumbers: Spell = (text) =>
  text.startsWith('"') ? `"${(JSON.parse(text) as string).split("").map(escaped).join("")}"` : text;

/** Its first character by its number. */
export const firstInNumbers: Spell = (text) => text.replace(/^"([^"\\])/, (_, char: string) => `"${escaped(char)}`);

/** A whole number with a fraction of zero. */
export const withFraction: Spell = (text) =>
  /^-?\d+$/.test(text) ? `${text}.0` : /^-?\d+\.\d+$/.test(text) ? `${text}0` : text;

/** A number with an exponent of zero. */
export const withExponent: Spell = (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? `${text}E+0` : text);

/** With blanks on both sides. */
export const amongBlanks: Spell = (text) => ` ${text}\t`;

/** A text of JSON with other blanks between its parts: each mark of punctuation as `space` has it. */
const spaced =
  (space: Spell): Spell =>
  (text) =>
    text.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (part) => (part.startsWith('"') ? part : space(part)));

/** The layouts of a document, each by its name. */
export const layouts: Readonly<Record<string, Spell>> = {
  "a line feed behind": (text) => `${text}\n`,
  "blanks before": (text) => ` \t\r\n${text}`,
  "a line for each member": spaced((part) => (part === "," ? ",\n  " : part === ":" ? ": " : part)),
  "blanks around all": spaced((part) => ` ${part}\t`),
};

/** Alternatives of how characters are written. */
export const characters: Readonly<Record<string, Spell>> = {
  "in ASCII": (text) => text.replaceAll(/[\u0080-\uffff]/g, escaped),
  "slashes escaped": (text) => text.replaceAll("/", String.raw`\/`),
};
