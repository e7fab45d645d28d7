/**
 * Query: reads a search as a person types it into terms, or rejects it with the place and the probable meaning.
 *
 *   bean:OrderRepository -status:5xx arg.id=7,8 "out of stock"
 *     └ a field           └ not       └ either   └ words in quotes, anywhere in the run
 *
 * All terms must hold. After `bean:`, terms about calls (`method`, `arg`, `result`, `took`) must hold for one call of that
 * bean; the next `bean:` begins another call. A term after `-` must hold nowhere in the run.
 *
 * Spec: spec/search.md
 */
import type { SearchIssue } from "../shapes.ts";
import { MAX_QUERY_CHARS } from "../wire.ts";
import { fieldNamed, nearest, runKinds, words, type Field, type Operator } from "./fields.ts";

/** One condition. */
export interface Term {
  /** Undefined for anywhere in the run. */
  readonly field: Field | undefined;
  /** The keys after the field, in lower case: `customer.id` of `arg.customer.id`. Empty without keys. */
  readonly path: string;
  readonly operator: Operator;
  readonly isNegated: boolean;
  /** One of these is enough. In lower case. */
  readonly values: readonly string[];
  /** The values of a comparison as numbers, times in microseconds; NaN for a value that is not a number. */
  readonly numbers: readonly number[];
}

/** A valid query; without terms it finds everything. */
export interface Query {
  readonly terms: readonly Term[];
}

/** The result for a text. */
export type ParseResult =
  | { readonly query: Query; readonly issues?: undefined }
  | { readonly query?: undefined; readonly issues: readonly SearchIssue[] };

/** A word of the text, with its position. */
interface Word {
  readonly at: number;
  readonly text: string;
}

/** Reads a query. Never throws, for any text. */
export function parseQuery(text: string): ParseResult {
  const over = text.length - MAX_QUERY_CHARS;
  if (over > 0)
    return { issues: [issueOf(MAX_QUERY_CHARS, over, `a query has at most ${MAX_QUERY_CHARS} characters`)] };
  const issues: SearchIssue[] = [];
  const terms: Term[] = [];
  for (const word of wordsOf(text)) {
    const read = termOf(word, text);
    if ("message" in read) issues.push(read);
    else terms.push(read);
  }
  return issues.length > 0 ? { issues } : { query: { terms } };
}

function wordsOf(text: string): readonly Word[] {
  const found: Word[] = [];
  for (const match of text.matchAll(/(?:"(?:[^"\\]|\\(?:.|$))*(?:"|$)|[^\s"])+/gsu))
    found.push({ at: match.index, text: match[0] });
  return found;
}

function termOf(word: Word, query: string): Term | SearchIssue {
  const isNegated = word.text.startsWith("-") && word.text.length > 1;
  const at = word.at + (isNegated ? 1 : 0);
  const text = isNegated ? word.text.slice(1) : word.text;
  const named = /^([a-z][\w$.-]*)(!=|>=|<=|[:=<>])(.*)$/isu.exec(text);
  if (named === null) return anywhere({ at, text }, isNegated);
  const [, name = "", operator = ":", rest = ""] = named;
  const [head = "", ...keys] = name.split(".");
  const field = fieldNamed.get(head.toLowerCase());
  if (field === undefined) return unknownField({ at, text }, head, query);
  if (keys.length > 0 && !field.hasPath)
    return issueOf(at, name.length, `${field.name} has no keys; write ${field.example}`);
  const given = { at, name, operator: operator as Operator, rest, query };
  return field.operators.includes(given.operator)
    ? withValues(field, keys.join(".").toLowerCase(), given, isNegated)
    : issueOf(at + name.length, operator.length, `${field.name} is asked by ${listed(field.operators)}`, {
        query,
        instead: field.operators[0] ?? ":",
      });
}

function anywhere({ at, text }: Word, isNegated: boolean): Term | SearchIssue {
  const values = valuesOf(text, false);
  if (typeof values === "string") return issueOf(at, text.length, values);
  return { field: undefined, path: "", operator: ":", isNegated, values, numbers: [] };
}

function unknownField({ at, text }: Word, head: string, query: string): SearchIssue {
  const meant = nearest(head, fieldNamed.keys());
  const message = `${head} is no field; a text with ${text[head.length] ?? ":"} in it needs quotes`;
  const fix =
    meant === undefined ? { length: text.length, instead: quoted(text) } : { length: head.length, instead: meant };
  const suggestion = replaced(query, at, fix.length, fix.instead);
  return { at, length: head.length, message, suggestion };
}

interface FieldText {
  readonly at: number;
  readonly name: string;
  readonly operator: Operator;
  readonly rest: string;
  readonly query: string;
}

function withValues(field: Field, path: string, given: FieldText, isNegated: boolean): Term | SearchIssue {
  const { at, name, operator, rest, query } = given;
  const valueAt = at + name.length + operator.length;
  const values = valuesOf(rest, true);
  if (typeof values === "string") return issueOf(valueAt, rest.length, values);
  if (values.length === 0) return issueOf(at, name.length + operator.length, `${name}${operator} lacks its value`);
  const wrong = (message: string): SearchIssue => issueOf(valueAt, rest.length, message);
  const numbers = values.map(field.kind === "time" ? microseconds : numberOf);
  const compares = /[<>]/.test(operator);
  if (compares && numbers.some(Number.isNaN))
    return wrong(field.kind === "time" ? `${rest} is no time; write 20ms, 1.5s or 300us` : `${rest} is no number`);
  if (compares && numbers.length > 1) return wrong(`${name}${operator} takes one number`);
  const kind = compares ? undefined : kinds[field.kind];
  const bad = values.find((value) => kind?.isOne(value) === false);
  if (kind === undefined || bad === undefined) return { field, path, operator, isNegated, values, numbers };
  const meant = values.map((value) => (kind.isOne(value) ? value : kind.meant(value)));
  const fix = meant.includes(undefined) ? undefined : { query, instead: meant.join(",") };
  return issueOf(valueAt, rest.length, kind.says(bad), fix);
}

/** Values from a fixed set: how to recognise one, which one was probably meant, and the message. */
interface Kind {
  isOne(value: string): boolean;
  meant(value: string): string | undefined;
  says(bad: string): string;
}

const oneOf = (names: readonly string[]): Kind => ({
  isOne: (value) => names.includes(value),
  meant: (value) => nearest(value, names),
  says: (bad) => `${bad} is none of ${names.join(", ")}`,
});

const kinds: Readonly<Partial<Record<Field["kind"], Kind>>> = {
  word: oneOf(Object.keys(words)),
  run: oneOf(runKinds),
  number: { isOne: (value) => /^\d+$/.test(value), meant: () => undefined, says: (bad) => `${bad} is no number` },
  codes: {
    isOne: (value) => /^(?:[1-5]xx|[1-5]\d\d)$/.test(value),
    meant: (value) => (/^[1-5](?:x|xxx|\*\*?)?$/.test(value) ? `${value[0]}xx` : undefined),
    says: (bad) => `${bad} is no status; write 404 or 4xx`,
  },
};

/** The values between commas, in lower case, without their quotes; a sentence if a quote is not closed. */
function valuesOf(text: string, splits: boolean): readonly string[] | string {
  const values: string[] = [];
  let value = "";
  let isQuoted = false;
  let wasQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === '"') {
      isQuoted = !isQuoted;
      wasQuoted = true;
    } else if (char === "\\" && isQuoted) value += text[(at += 1)] ?? "";
    else if (char === "," && splits && !isQuoted) {
      if (value !== "" || wasQuoted) values.push(plain(value));
      [value, wasQuoted] = ["", false];
    } else value += char;
  }
  if (isQuoted) return 'a quote is open: it ends with another "';
  if (value !== "" || wasQuoted) values.push(plain(value));
  return values;
}

// oxlint-disable-next-line no-control-regex -- they divide the text that is searched
const controls = /[\u0000-\u001f]+/g;

/** A text without the characters that separate texts in a document. */
export const oneLine = (text: string): string => text.replace(controls, " ");

const plain = (text: string): string => oneLine(text).toLowerCase();

const numberOf = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

const units: Readonly<Record<string, number>> = { us: 1, µs: 1, μs: 1, ms: 1_000, s: 1_000_000, m: 60_000_000 };

/** A time in microseconds; milliseconds without a unit. */
function microseconds(text: string): number {
  const [, amount = "", unit = "ms"] = /^(\d+(?:\.\d+)?|\.\d+)(us|µs|μs|ms|s|m)?$/.exec(text) ?? [];
  return amount === "" ? Number.NaN : Number(amount) * (units[unit] ?? 1);
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;

const listed = (operators: readonly Operator[]): string => operators.join(" ");

const replaced = (text: string, at: number, length: number, instead: string): string =>
  text.slice(0, at) + instead + text.slice(at + length);

function issueOf(at: number, length: number, message: string, fix?: { query: string; instead: string }): SearchIssue {
  if (fix === undefined) return { at, length, message };
  return { at, length, message, suggestion: replaced(fix.query, at, length, fix.instead) };
}
