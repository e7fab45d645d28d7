/**
 * Secrets within texts: values that look like one (secrets/shapes.ts), values of a secret name in a query, a
 * message, a connection string, a command line, YAML, a header line or JSON within a string (secrets/assignments.ts), and the
 * content of a tag with such a name (secrets/markup.ts).
 *
 *   "login failed: password=hunter2 for ada" ──▶ "login failed: password=[redacted] for ada"
 *
 * Every pattern is linear in the length of the text. Names are bounded and start at a word's beginning.
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../../run/wire.ts";
import { assignedIn, type TextRules } from "./assignments.ts";
import { taggedIn } from "./markup.ts";
import { hasToken, shapesIn, type Span } from "./shapes.ts";

/** How far past the cut a secret is searched, so that none is cut in two and shown in part. */
export const windowChars = 8_192;

const cutToken = /(?<![\w-])eyJ[\w-]{5,}$/;

/** The first `limit` characters of the text, with its secrets replaced. */
export function redactText(text: string, limit: number, rules: TextRules): string {
  const cut = text.length > limit;
  const window = cut ? text.slice(0, limit + windowChars) : text;
  const spans = [...shapesIn(window, limit), ...assignedIn(window, limit, rules), ...taggedIn(window, limit, rules)];
  if (spans.length === 0) return cut ? window.slice(0, limit).replace(cutToken, REDACTED) : window;
  const shown = replaceSpans(window, spans, limit, rules);
  return cut ? shown.replace(cutToken, REDACTED) : shown;
}

/** Characters of the longest text that `isHarmless` searches. */
const shortChars = 64;

/**
 * Whether it is a short text of one byte a character in which nothing can be found. Names, words and ids are. One look at each
 * character, and one for tokens, then replaces many expressions. If it is true, `redactText` leaves the text unchanged.
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
  return !hasToken(text);
}

/** `=` and `:` assign something, `<`, `&` and `\\` begin a tag, `eyJ` and `--` a shape, a hyphen after a space an option. */
function isDoubtful(before: number, code: number): boolean {
  if (code === 0x2d) return before <= 0x20 || before === 0x2d;
  if (code === 0x3d || code === 0x3a || code === 0x3c || code === 0x26 || code === 0x5c) return true;
  return code === 0x4a && before === 0x79;
}

/** Whether a possible Bearer or Basic ends there, by its last three letters. */
function isScheme(text: string, end: number): boolean {
  const letter = (back: number): number => text.charCodeAt(end - back) | 0x20;
  return (letter(1) === 0x72 && letter(2) === 0x65 && letter(3) === 0x72) || (letter(1) === 0x63 && letter(2) === 0x69);
}

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
