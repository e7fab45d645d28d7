/**
 * Secret index: many secrets, found in one pass over a text, in bounded memory and in time linear in the text.
 *
 *   "hunter2-zebra" ──▶ its first 12 characters, and how long it is
 *   text ──▶ at each character: do these four begin a secret? ──▶ which one ──▶ "[redacted]"
 *
 * Without room, a value is kept only by its first four characters, as one mark in a table. Wherever such four
 * characters occur, the text is hidden to its end. So past the bound more is masked, and never less.
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../../run/wire.ts";

/** Characters of the shortest value that is searched. */
export const shortestChars = 4;
/** Characters of the shortest value that is masked within a word too. */
export const anywhereChars = 8;

/** A value is known by the longest of these beginnings that it has. Shorter ones are known whole. */
const headChars = [4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 40, 48, 64] as const;
const longestHead = 64;
/** Bytes of the kept values, without the table. */
const maxBytes = 262_144;
/** The mark of beginnings without kept values. */
const open = 0x80_00;

/** The secrets of a trace with many. */
export class SecretIndex {
  /** By the first four characters, the lengths of the heads that begin with them, a bit for each length. */
  readonly #marks = new Uint16Array(65_536);
  /** By head, the length of its longest value. */
  readonly #lengths = new Map<string, number>();
  #bytes = 0;

  constructor(values: Iterable<string>) {
    for (const value of values) this.add(value);
  }

  /** @param value of 4 characters or more */
  add(value: string): void {
    const bit = headChars.findLastIndex((chars) => chars <= value.length);
    const head = value.slice(0, headChars[bit]);
    const place = placeOf(value, 0);
    const known = this.#lengths.get(head);
    if (known === undefined) this.#bytes += 2 * head.length + 64;
    const isFull = known === undefined && this.#bytes > maxBytes;
    this.#marks[place] = (this.#marks[place] ?? 0) | (isFull ? open : 1 << bit);
    if (!isFull) this.#lengths.set(head, Math.max(known ?? 0, value.length));
  }

  text(text: string): string {
    let shown = "";
    let from = 0;
    for (let at = 0; at + shortestChars <= text.length; at += 1) {
      const marks = this.#marks[placeOf(text, at)] ?? 0;
      if (marks === 0) continue;
      const end = (marks & open) === 0 ? this.#endAt(text, at, marks) : text.length;
      if (end === undefined) continue;
      shown += text.slice(from, at) + REDACTED;
      from = end;
      at = end - 1;
    }
    return from === 0 ? text : shown + text.slice(from);
  }

  /** The end of the secret that begins there, the longest possible one. */
  #endAt(text: string, at: number, marks: number): number | undefined {
    for (let bit = headChars.length - 1; bit >= 0; bit -= 1) {
      if ((marks & (1 << bit)) === 0) continue;
      const length = this.#lengths.get(text.slice(at, at + (headChars[bit] ?? 0)));
      if (length === undefined) continue;
      const isWhole = !(isWordAt(text, at - 1) || isWordAt(text, at + length));
      if (length >= anywhereChars || isWhole) return Math.min(text.length, at + length);
    }
    return undefined;
  }

  /** The beginning of a longer text. Its end is hidden if it may be the beginning of a secret. */
  cut(text: string): string {
    for (let at = Math.max(0, text.length - longestHead); at + shortestChars <= text.length; at += 1)
      if (this.#marks[placeOf(text, at)] !== 0) return text.slice(0, at) + REDACTED;
    return text;
  }
}

/** The table's position of the four characters there. */
const placeOf = (text: string, at: number): number =>
  (text.charCodeAt(at) +
    37 * text.charCodeAt(at + 1) +
    1_369 * text.charCodeAt(at + 2) +
    50_653 * text.charCodeAt(at + 3)) &
  0xff_ff;

/** Whether that character is part of a word. */
export const isWordAt = (text: string, at: number): boolean => /\w/.test(text[at] ?? "");
