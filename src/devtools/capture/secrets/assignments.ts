/**
 * Secrets by an assignment within a text: the value after a secret name and `=`, `:`, `=>`, `:=` or, for an option of a
 * command line, a space; in YAML, the lines below such a name.
 *
 *   "--password hunter2 --port 1"    ──▶ "--password [redacted] --port 1"
 *   "passwords:\n  - a\n  - b\nport: 1" ──▶ "passwords:\n  - [redacted]\n  - [redacted]\nport: 1"
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../../run/wire.ts";
import type { Span } from "./shapes.ts";
import { decoded } from "../../run/values.ts";

/** The callbacks of redacting a text. */
export interface TextRules {
  isSecret(name: string, value: string): boolean;
  found(value: string): void;
}

/** A name, also quoted or with escaped quotes, and the signs up to its value. In a form also `a[b]` and `b[0]`. */
const assignments =
  /(?<![\w.%\u00b5\u00c0-\u1fff\u3040-\ud7ff\uf900-\ufdff\uff21-\uff5a-])-{0,2}([A-Za-z_\u00b5\u00c0-\u1fff\u3040-\ud7ff\uf900-\ufdff\uff21-\uff5a][\w.%\u00b5\u00c0-\u1fff\u3040-\ud7ff\uf900-\ufdff\uff21-\uff5a-]{0,63})(\]?)(?:\[\d{0,9}\]){0,3}(\\{0,3}["']|)(\s{0,3}(?:=(?!=)>?|:{1,2}=|\?=|[:：＝])\s{0,3})(\\{0,3}["'`]|)/g;
/** An option of a command line and its value, also as two texts of a list. */
const options = /(?<![\w.-])--?([A-Za-z][\w.-]{0,63})(?:\s{1,3}|\\{0,3}["']\s{0,3},\s{0,3})(\\{0,3}["'`]|)/g;
/** Words that continue a sentence after the name of an option. */
const goesOn =
  /^(?:an?|and|are|as|but|by|can|cannot|flag|for|from|has|have|in|is|must|needs?|not|on|option|or|requires?|should|so|that|the|to|was|which|with|without)[.,;:!?]?$/i;
/** Credentials of curl, and of programs that took its options. */
const userOption = /^(?:u|user|proxy-user)$/i;
/** Words of prose as well. After a colon, only a value that looks like a secret counts. */
const prose = /(?:^|[_.-])(?:token|secret|auth|pin|pass|otp|code|credentials?|key|seed|link|answer|phrase|sid|pan)$/i;
const ordinaryWord = /^[A-Za-z]{1,15}[.,;:!?)]?$/;
/** Header fields with values that go to the end of the line. */
const wholeLine = /^(?:set-cookie|cookie|authorization|proxy-authorization)$/i;
const signature = /^(?:sig|signature|x-amz-signature|x-goog-signature)$/i;

/** Values that are assigned to a secret name in the text and begin before `limit`. */
export function assignedIn(text: string, limit: number, rules: TextRules): readonly Span[] {
  const named = /[=:：＝]/.test(text) ? namedIn(text, limit, rules) : none;
  return text.includes("-") ? [...named, ...optionsIn(text, limit, rules)] : named;
}

const none: readonly Span[] = [];

function namedIn(text: string, limit: number, rules: TextRules): readonly Span[] {
  const spans: Span[] = [];
  const ends = new Ends(text);
  assignments.lastIndex = 0;
  for (let match = assignments.exec(text); match !== null; match = assignments.exec(text)) {
    if (match.index >= limit) break;
    const [whole, raw = "", bracket = "", closing = "", separator = "", opening = ""] = match;
    const start = match.index + whole.length;
    const name = raw.includes("%") ? decoded(raw) : raw;
    const sign = separator.trim();
    const hasColon = sign === ":" || sign === "：";
    // An arrow function is not a map entry. In a map the name or the value is quoted, or the name is a symbol.
    const isArrow = sign === "=>" && opening + closing + bracket === "" && text[match.index - 1] !== ":";
    const end = ends.of(start, opening, closing === "" && wholeLine.test(name) && hasColon);
    const value = text.slice(start, end);
    const isProse = opening === "" && closing === "" && hasColon && prose.test(name);
    const isSecret = rules.isSecret(name, value);
    const isKey = isSecret && hasColon && opening === "";
    const colon = start - trailing(separator);
    const lines = isKey ? yamlBelow(text, match.index, colon, isProse) : undefined;
    if (lines !== undefined) {
      spans.push(...lines);
      assignments.lastIndex = lines.at(-1)?.[1] ?? colon;
      continue;
    }
    if (value === "" || isArrow || text.startsWith(REDACTED, start)) continue;
    if (isProse && ordinaryWord.test(value)) continue;
    if (!(isSecret || (signature.test(name) && separator === "="))) {
      assignments.lastIndex = start;
      continue;
    }
    const all = opening === "" && isNested(value) ? (nestedEnd(text, start, hasColon && !isProse) ?? end) : end;
    spans.push([start, all]);
    assignments.lastIndex = all;
  }
  return spans;
}

const trailing = (separator: string): number => separator.length - separator.trimEnd().length;

function optionsIn(text: string, limit: number, rules: TextRules): readonly Span[] {
  const spans: Span[] = [];
  const ends = new Ends(text);
  for (const { 0: whole, 1: name = "", 2: opening = "", index } of text.matchAll(options)) {
    if (index >= limit) break;
    const start = index + whole.length;
    const end = ends.of(start, opening, false);
    const value = text.slice(start, end);
    if (opening === "" && (goesOn.test(value) || /^[-=]/.test(value))) continue;
    if (value === "" || text.startsWith(REDACTED, start)) continue;
    const isSecret = userOption.test(name) ? value.includes(":") : !/^no-/i.test(name) && rules.isSecret(name, value);
    if (isSecret) spans.push([start, end]);
  }
  return spans;
}

/** The end of a key's line in YAML with the value below it. */
const endOfKey = /[ \t]{0,64}([|>][-+\d]{0,2}[ \t]{0,64})?\r?\n/y;
/** The signs before a value on its own line. */
const beforeValue = /[ \t]{0,256}(- {1,8}){0,4}(?:["']?[\w.-]{1,64}["']?: {1,8})?["']?/y;

/**
 * The values on the lines below a key: the items of a list, the lines of a text, the fields of an object. Undefined if its
 * line does not end with it, or if a sentence may end there.
 *
 * @param key where it begins @param colon after its colon
 */
function yamlBelow(text: string, key: number, colon: number, isProse: boolean): readonly Span[] | undefined {
  endOfKey.lastIndex = colon;
  const ended = endOfKey.exec(text);
  if (ended === null) return undefined;
  const indent = indentAt(text, text.lastIndexOf("\n", key) + 1);
  const isBlock = ended[1] !== undefined;
  const spans: Span[] = [];
  for (let at = colon + ended[0].length; at < text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    const line = text.slice(at, end).trimEnd();
    const deep = indentAt(text, at);
    const isItem = /^\s*-(?: |$)/.test(line);
    if (line !== "") {
      if (deep < indent || (deep === indent && !isItem)) break;
      if (isProse && !isBlock && !isItem && spans.length === 0) return undefined;
      beforeValue.lastIndex = at;
      const from = at + (beforeValue.exec(text)?.[0].length ?? 0);
      const to = at + line.length - (/["']$/.test(line) ? 1 : 0);
      if (to > from && !text.startsWith(REDACTED, from)) spans.push([from, to]);
    }
    at = end + 1;
  }
  return spans;
}

function indentAt(text: string, line: number): number {
  let at = line;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at - line;
}

/**
 * The end of an assigned value: its closing quote, the end of its line, or the start of a new part. An end is searched
 * once, even for many values.
 */
class Ends {
  readonly #text: string;
  /** The last one found of each kind, and the position from which it is the next. */
  readonly #last: Map<string, Span> = new Map();

  constructor(text: string) {
    this.#text = text;
  }

  of(start: number, opening: string, isLine: boolean): number {
    const kind = opening === "" && isLine ? "line" : opening;
    const [from, to] = this.#last.get(kind) ?? [0, -1];
    if (from <= start && start <= to) return to;
    const end = opening === "" ? this.#plain(start, isLine) : quotedEnd(this.#text, start, opening);
    this.#last.set(kind, [start, end]);
    return end;
  }

  #plain(start: number, isLine: boolean): number {
    const stop = isLine ? /[\r\n]/g : /[\s&;,"'<>#)}\]\\]/g;
    stop.lastIndex = start;
    return stop.exec(this.#text)?.index ?? this.#text.length;
  }
}

/**
 * Before the quote that closes the quoted text, and its backslashes. JSON within JSON has one or three of them before a quote.
 * A quote that belongs to the value has twice as many and one more.
 */
function quotedEnd(text: string, start: number, opening: string): number {
  const depth = opening.length - 1;
  const quote = opening.at(-1) ?? "";
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    const slashes = slashesBefore(text, at);
    if (slashes < depth || slashes % (2 * depth + 2) === depth) return Math.max(start, at - Math.min(slashes, depth));
  }
  return text.length;
}

function slashesBefore(text: string, at: number): number {
  let first = at;
  while (text[first - 1] === "\\") first -= 1;
  return at - first;
}

const isNested = (value: string): boolean => value.startsWith("[") || value.startsWith("{");

/** How far the end of a list is searched if it may be a bracket in a sentence. */
const sentenceChars = 1_024;

/**
 * After the list or object that begins there. Without an end, data was cut, and its whole rest is secret. Undefined for a
 * sentence.
 */
function nestedEnd(text: string, start: number, isData: boolean): number | undefined {
  const last = isData ? text.length : Math.min(text.length, start + sentenceChars);
  let open = 0;
  for (let at = start; at < last; at += 1) {
    const char = text[at] ?? "";
    if (char === "[" || char === "{") open += 1;
    else if (char === "]" || char === "}") open -= 1;
    else if (char === '"' || ((char === "'" || char === "`") && !/\w/.test(text[at - 1] ?? "")))
      at = closingQuote(text, at);
    if (open === 0) return at + 1;
  }
  return isData ? last : undefined;
}

/** The quote that closes the one at this position. */
function closingQuote(text: string, at: number): number {
  const slashes = slashesBefore(text, at);
  return quotedEnd(text, at + 1, text.slice(at - slashes, at + 1)) + slashes;
}
