/**
 * Pages: as much of a list as an agent has room for, and the cursor of the rest.
 *
 *   items ──▶ those that fit ──▶ next: "40-1c9f…", the place and the identity of the list
 *
 * A cursor is valid for its own call. Another tool, or the same one with other inputs, rejects it with a sentence.
 */
import { createHash } from "node:crypto";
import { TerminalError } from "../terminal/errors.ts";
import { printable, printableJson, printableLines } from "../terminal/printable.ts";

/** The default bound of a result, in characters. */
export const DEFAULT_CHARS = 8_000;
/** The least and the most characters that an agent can request. */
export const CHARS: readonly [least: number, most: number] = [2_000, 100_000];
/** The part of the bound that is kept for the text around a list. */
const AROUND = 300;

/** The parameters of paging. */
export interface Paging {
  readonly tool: string;
  /** The identity of the list: the inputs without cursor and bound. */
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

/** The part of the list that fits together with `head`, the rest of the result. At least one item, if there are any. */
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

/** The cursor's place; the beginning without one. @throws TerminalError for a cursor of another call */
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

/** A result for an agent, as JSON without characters on which a viewer or a later reader would act. */
export function jsonOf(value: unknown): string {
  const written = (_: string, one: unknown): unknown => {
    if (typeof one === "string") return printableLines(one);
    if (typeof one !== "object" || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, item]: [string, unknown]) => [printable(key), item]));
  };
  return printableJson(JSON.parse(JSON.stringify(value), written));
}

/**
 * A result as JSON in at most this many characters. Texts are cut and lists end, ever sooner, until it fits. A page
 * fits already, except one with a single item.
 */
export function fitted(result: object, maxChars: number): string {
  let text = jsonOf(result);
  for (let chars = maxChars / 2; text.length > maxChars && chars >= LEAST_OF_A_TEXT; chars /= 2)
    text = jsonOf(shortened(result, Math.floor(chars)));
  return text;
}

const LEAST_OF_A_TEXT = 16;
/** This many characters of a text are as useful as one more item of a list. */
const CHARS_OF_AN_ITEM = 20;
/** Inputs of other calls, kinds of things, and schemas, which are useless in part. */
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

/** A list of texts with a note that it continues. */
function more(list: readonly unknown[], chars: number): readonly string[] {
  const left = list.length - firstOf(list, chars).length;
  return left > 0 && typeof list[0] === "string" ? [`… ${left} more`] : [];
}

/** How many items are left out, for lists with a member for that. */
function notShown(value: object, chars: number): object {
  if (!("notShown" in value)) return {};
  const lists = Object.values(value).filter((one) => Array.isArray(one)) as readonly (readonly unknown[])[];
  return { notShown: lists.reduce((sum, list) => sum + list.length - firstOf(list, chars).length, 0) };
}

/** A text in at most this many characters, ending in `…` if it is cut. */
export function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = chars - 1;
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, /[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end - 1 : end)}…`;
}
