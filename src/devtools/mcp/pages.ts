/**
 * Pages: as much of a list as an agent has room for, and where to go on.
 *
 *   items ──▶ those that fit into so many characters ──▶ next: "40-1c9f…", the place and what it is a place in
 *
 * A cursor holds for the call that gave it: another tool, or the same with other inputs, rejects it with a sentence.
 *
 * Spec: spec/agents.md (AGENT)
 */
import { createHash } from "node:crypto";
import { TerminalError } from "../terminal/errors.ts";
import { printableJson, printableLines } from "../terminal/printable.ts";

/** So many characters a result has at most, where nothing else is asked for. */
export const DEFAULT_CHARS = 8_000;
/** At least, and at most, where something else is. */
export const CHARS: readonly [least: number, most: number] = [2_000, 100_000];
/** What of the bound is kept for what stands around a list. */
const AROUND = 300;

/** What was asked for, as far as pages go. */
export interface Paging {
  readonly tool: string;
  /** What the list is of: the inputs without cursor and bound. */
  readonly of: string;
  readonly cursor: string | undefined;
  readonly maxChars: number;
}

/** A part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next part; null at the end. */
  readonly next: string | null;
}

/** The part of the list that fits beside `head`, which is what else the result has. At least one item, if there are any. */
export function pageOf<T>(items: readonly T[], head: object, paging: Paging): Page<T> {
  const from = placeOf(paging);
  if (from > items.length) throw new TerminalError(`the list of ${paging.tool} is shorter now: leave the cursor out`);
  let room = paging.maxChars - AROUND - jsonOf(head).length;
  let end = from;
  for (; end < items.length; end += 1) {
    room -= jsonOf(items[end]).length + 1;
    if (room < 0 && end > from) break;
  }
  return { items: items.slice(from, end), next: end < items.length ? `${end}-${markOf(paging)}` : null };
}

/** Where the cursor leads; the beginning without one. @throws TerminalError for one of another call */
export function placeOf(paging: Paging): number {
  const { cursor, tool } = paging;
  if (cursor === undefined) return 0;
  const [, place = "", mark] = /^(\d{1,9})-([0-9a-f]{8})$/.exec(cursor) ?? [];
  if (mark === markOf(paging)) return Number(place);
  const advice = "a cursor is the next of a call of the same tool with the same inputs";
  throw new TerminalError(`${JSON.stringify(cursor.slice(0, 80))} is no cursor of this call of ${tool}: ${advice}`);
}

const markOf = ({ tool, of }: Paging): string =>
  createHash("sha256").update(`${tool}\n${of}`).digest("hex").slice(0, 8);

/** A result as an agent gets it: JSON without a character on which whoever shows it, or reads it again, would act. */
export function jsonOf(value: unknown): string {
  const written = (_: string, one: unknown): unknown => (typeof one === "string" ? printableLines(one) : one);
  return printableJson(JSON.parse(JSON.stringify(value), written));
}

/** What `make` gives with texts as long as there is room for: shorter ones until all of it fits. */
export function fitted<T extends object>(make: (chars: number) => T, maxChars: number): T {
  let chars = maxChars;
  let made = make(chars);
  while (jsonOf(made).length > maxChars && chars > LEAST_OF_A_TEXT) {
    chars = Math.floor(chars / 2);
    made = make(chars);
  }
  return made;
}

/** Shorter, a text says nothing. */
const LEAST_OF_A_TEXT = 16;

/** A text in at most so many characters, its end as `…` where it is cut. */
export function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = chars - 1;
  // Not between the halves of a character.
  return `${text.slice(0, /[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end - 1 : end)}…`;
}
