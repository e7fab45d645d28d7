/**
 * Secrets within texts: bearer tokens, JWTs, PEM blocks, URL userinfo, Basic credentials, and what is assigned to a
 * secret name, be it in a query, a message, a connection string, a header line or JSON within a string.
 *
 *   "login failed: password=hunter2 for ada" ──▶ "login failed: password=[redacted] for ada"
 *
 * Every pattern is linear in the length of the text: names are bounded and start at a word's beginning.
 *
 * Spec: spec/trace.md (TRACE)
 */
import { REDACTED } from "../wire.ts";

/** How far past the cut a secret is looked for, so that none is cut in two and shown in part. */
export const windowChars = 8_192;

/** A secret by its own look, without a name. */
const shapes =
  /(?<!\w)[Bb][Ee][Aa][Rr][Ee][Rr]\s{1,8}(?!authenti|authori[sz]|credential)[\w.~+/=-]{8,}|(?<![\w-])eyJ[\w-]{5,}(?:\.[\w-]*){1,4}|-----BEGIN [A-Z0-9 ]{1,40}-----(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]{1,40}-----)?|(?<=:\/\/)[^\s/?#]*@|(?<!\w)[Bb][Aa][Ss][Ii][Cc]\s{1,8}[\w+/-]{4,}={0,2}/g;
const maybeShape = /bearer\s|basic\s|eyJ|-----BEGIN |:\/\//i;
const cutToken = /(?<![\w-])eyJ[\w-]{5,}$/;

/** A name, quoted or not, also with escaped quotes, and what stands between it and its value; of a form also `a[b]` and `b[0]`. */
const assignments =
  /(?<![\w.%-])([A-Za-z_][\w.%-]{0,63})\]?(?:\[\d{0,9}\]){0,3}(\\{0,3}["']|)(\s{0,3}(?:=(?![=>])|:)\s{0,3})(\\{0,3}["'`]|)/g;
/** Only saves the looking for names, of which each has one of these in it or a letter that is escaped. */
const maybeAssigned =
  /pass|pwd|secret|token|key|auth|cookie|credential|session|sess|connection|card|cc|cv[vc]|csc|ssn|otp|pin|psk|jwt|bearer|[cx]srf|code|seed|social|sig|%[4-7]/i;
/** Words of prose as well: behind a colon only what looks like a secret counts. */
const prose = /(?:^|[_.-])(?:token|secret|auth|pin|pass|otp|code|credentials?|key)$/i;
const ordinaryWord = /^[A-Za-z]{1,15}[.,;:!?)]?$/;
/** Header fields whose value goes to the end of the line. */
const wholeLine = /^(?:set-cookie|cookie|authorization|proxy-authorization)$/i;
const signature = /^(?:sig|signature|x-amz-signature|x-goog-signature)$/i;

/** What redacting a text asks and tells. */
export interface TextRules {
  /** Is this the name of a secret? */
  isSecret(name: string, value: string): boolean;
  /** Are there secret names besides the built-in ones? */
  readonly hasOwnNames: boolean;
  /** A secret was found. */
  found(value: string): void;
}

/** The first `limit` characters of the text, with its secrets replaced. */
export function redactText(text: string, limit: number, rules: TextRules): string {
  const cut = text.length > limit;
  const window = cut ? text.slice(0, limit + windowChars) : text;
  const shaped = maybeShape.test(window) ? shapesIn(window, limit) : none;
  const assigned = rules.hasOwnNames || maybeAssigned.test(window) ? assignedIn(window, limit, rules) : none;
  if (shaped.length + assigned.length === 0) return cut ? window.slice(0, limit).replace(cutToken, REDACTED) : window;
  const shown = replaceSpans(window, [...shaped, ...assigned], limit, rules);
  return cut ? shown.replace(cutToken, REDACTED) : shown;
}

/** Characters of the longest text that `isHarmless` looks through. */
const shortChars = 64;

/**
 * Is it a short text of one byte a character that nothing can be found in? Names, words and ids are: for them one look at each
 * character takes the place of three expressions. What it says of a text is that `redactText` leaves it as it is.
 */
export function isHarmless(text: string): boolean {
  if (text.length > shortChars) return false;
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0xff || isDoubtful(before, code)) return false;
    if ((code <= 0x20 || code === 0xa0) && isScheme(text, at)) return false;
    before = code;
  }
  return true;
}

/** `=` or `:` assigns something, `eyJ` and `--` begin what has a shape. */
const isDoubtful = (before: number, code: number): boolean =>
  code === 0x3d || code === 0x3a || (code === 0x4a && before === 0x79) || (code === 0x2d && before === 0x2d);

/** Does what may be Bearer or Basic end there, by its last three letters? */
function isScheme(text: string, end: number): boolean {
  const letter = (back: number): number => text.charCodeAt(end - back) | 0x20;
  return (letter(1) === 0x72 && letter(2) === 0x65 && letter(3) === 0x72) || (letter(1) === 0x63 && letter(2) === 0x69);
}

type Span = readonly [start: number, end: number];

const none: readonly Span[] = [];

function replaceSpans(window: string, spans: Span[], limit: number, rules: TextRules): string {
  let shown = "";
  let at = 0;
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= limit) break;
    if (end <= at) continue;
    rules.found(window.slice(start, end));
    if (start >= at) shown += window.slice(at, start) + REDACTED;
    at = end;
  }
  return shown + window.slice(at, limit);
}

function shapesIn(window: string, limit: number): Span[] {
  const spans: Span[] = [];
  for (const { 0: match, index } of window.matchAll(shapes)) {
    if (index >= limit) break;
    if (/^basic/i.test(match) && !isBasic(match)) continue;
    const isUserinfo = match.endsWith("@") && window.startsWith("://", index - 3);
    spans.push([index, index + match.length - (isUserinfo ? 1 : 0)]);
  }
  return spans;
}

/** Are these credentials, and not "basic functionality"? */
function isBasic(match: string): boolean {
  const decoded = Buffer.from(match.slice(5), "base64").toString("latin1");
  return /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]*$/.test(decoded);
}

function assignedIn(window: string, limit: number, rules: TextRules): Span[] {
  const spans: Span[] = [];
  const ends = new Ends(window);
  assignments.lastIndex = 0;
  for (let match = assignments.exec(window); match !== null; match = assignments.exec(window)) {
    if (match.index >= limit) break;
    const [whole, raw = "", closing = "", separator = "", opening = ""] = match;
    const start = match.index + whole.length;
    const name = raw.includes("%") ? decoded(raw) : raw;
    const hasColon = separator.includes(":");
    const end = ends.of(start, opening, closing === "" && wholeLine.test(name) && hasColon);
    const value = window.slice(start, end);
    if (value === "" || window.startsWith(REDACTED, start)) continue;
    const isProse = opening === "" && closing === "" && hasColon && prose.test(name);
    if (isProse && ordinaryWord.test(value)) continue;
    if (!(rules.isSecret(name, value) || (signature.test(name) && separator === "="))) {
      assignments.lastIndex = start;
      continue;
    }
    const all = opening === "" && isNested(value) ? (nestedEnd(window, start, hasColon && !isProse) ?? end) : end;
    spans.push([start, all]);
    assignments.lastIndex = all;
  }
  return spans;
}

/**
 * Where an assigned value ends: at its closing quote, at the end of its line, or where a new part begins. An end is looked for
 * once, however many values might end there.
 */
class Ends {
  readonly #text: string;
  /** Of each kind the last that was found, and from where on it is the next. */
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
 * Before the quote that closes what is quoted, and its backslashes. JSON within JSON has one of them before a quote, or three:
 * a quote that belongs to the value has twice as many and one more.
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

/** How far the end of a list is looked for where it may be a bracket in a sentence. */
const sentenceChars = 1_024;

/**
 * Behind the list or object that begins there. Where it has no end, data was cut, and all that is left of it is secret; of a
 * sentence undefined.
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

/** The quote that closes what that one opens. */
function closingQuote(text: string, at: number): number {
  const slashes = slashesBefore(text, at);
  return quotedEnd(text, at + 1, text.slice(at - slashes, at + 1)) + slashes;
}

/** Percent-decoded once; as it is when it cannot be. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
