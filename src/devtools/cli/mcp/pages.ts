/**
 * Pages: as much of a list as an agent has room for, and where to go on.
 *
 *   items ──▶ those that fit into so many characters ──▶ next: "40-1c9f…", the place and what it is a place in
 *
 * A cursor holds for the call that gave it: another tool, or the same with other inputs, rejects it with a sentence.
 */
import { createHash } from "node:crypto";
import { TerminalError } from "../terminal/errors.ts";
import { printable, printableJson, printableLines } from "../terminal/printable.ts";

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
  const written = (_: string, one: unknown): unknown => {
    if (typeof one === "string") return printableLines(one);
    if (typeof one !== "object" || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, item]: [string, unknown]) => [printable(key), item]));
  };
  return printableJson(JSON.parse(JSON.stringify(value), written));
}

/**
 * A result as JSON in at most so many characters: its texts are cut and its lists end, ever sooner, until it fits. What is in
 * a page fits already, but for a page of one item.
 */
export function fitted(result: object, maxChars: number): string {
  let text = jsonOf(result);
  for (let chars = maxChars / 2; text.length > maxChars && chars >= LEAST_OF_A_TEXT; chars /= 2)
    text = jsonOf(shortened(result, Math.floor(chars)));
  return text;
}

/** Shorter, a text says nothing. */
const LEAST_OF_A_TEXT = 16;
/** So many characters of a text are as good as one item more of a list. */
const CHARS_OF_AN_ITEM = 20;
/** What other calls take, what tells one kind of thing from another, and schemas: of no use in part. */
const WHOLE: ReadonlySet<string> = new Set([
  "id",
  "next",
  "notice",
  "kind",
  "part",
  "startedAt",
  "instance",
  "contract",
  "example",
]);

function shortened(value: unknown, chars: number, key = ""): unknown {
  if (WHOLE.has(key)) return value;
  if (typeof value === "string") return cut(value, chars);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return [...firstOf(value, chars).map((one) => shortened(one, chars)), ...more(value, chars)];
  const shown = Object.entries(value).map(([name, one]) => [name, shortened(one, chars, name)]);
  return { ...Object.fromEntries(shown), ...notShown(value, chars) };
}

const firstOf = (list: readonly unknown[], chars: number): readonly unknown[] =>
  list.slice(0, Math.ceil(chars / CHARS_OF_AN_ITEM));

/** A list of texts says that it goes on. */
function more(list: readonly unknown[], chars: number): readonly string[] {
  const left = list.length - firstOf(list, chars).length;
  return left > 0 && typeof list[0] === "string" ? [`… ${left} more`] : [];
}

/** How much of its lists is left out, of what tells that. */
function notShown(value: object, chars: number): object {
  if (!("notShown" in value)) return {};
  const lists = Object.values(value).filter((one) => Array.isArray(one)) as readonly (readonly unknown[])[];
  return { notShown: lists.reduce((sum, list) => sum + list.length - firstOf(list, chars).length, 0) };
}

/** A text in at most so many characters, its end as `…` where it is cut. */
export function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = chars - 1;
  // Not between the halves of a character.
  return `${text.slice(0, /[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end - 1 : end)}…`;
}
