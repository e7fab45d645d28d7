/**
 * Redaction: secrets are replaced while a value is captured, so that nothing downstream ever holds one.
 *
 *   key   "dbPassword" ──▶ words db, password ──▶ ends in a secret word ──▶ the value becomes "[redacted]"
 *   text  "Bearer eyJ…" ──▶ the part that looks like a secret becomes "[redacted]"
 *
 * Every pattern is linear in the length of the text. Nothing here throws, whatever the options do.
 *
 * Spec: spec/trace.md (TRACE)
 */
import { REDACTED } from "../wire.ts";

/** What counts as a secret besides the built-in rules. */
export interface RedactOptions {
  /** Words a secret key ends in (any case), or patterns for whole keys. */
  readonly keys?: readonly (string | RegExp)[] | undefined;
  /** Patterns of secret parts of texts. */
  readonly values?: readonly RegExp[] | undefined;
  /** Decides on a key and its value: true redacts, false keeps, undefined leaves it to the rules. A throw redacts. */
  readonly custom?: ((key: string, value: unknown) => boolean | undefined) | undefined;
}

/** Decides what is secret. */
export interface Redactor {
  /** Is what stands under this key a secret? */
  hides(key: string, value: unknown): boolean;
  /** Is this header's value a secret? */
  hidesHeader(name: string, value: string): boolean;
  /** The first `limit` characters, with the parts that look like secrets replaced. */
  text(text: string, limit: number): string;
}

/** Words that make a key secret when it ends in them, also when written together: `accesstoken`. */
const longWords = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "authorization",
  "cookie",
  "credential",
  "credentials",
  "privatekey",
  "sessionid",
];
/** Words too short to be looked for inside another word. */
const shortWords: ReadonlySet<string> = new Set(["pwd", "cvv", "ssn"]);
/** Ends in a secret word and is none. */
const innocentEnding = "pagetoken";

/** Characters of a key that are looked at, from its end. */
const keyChars = 128;
/** How far past the cut a secret is looked for, so that none is cut in two and shown in part. */
const windowChars = 8_192;

const secretText =
  /(?<!\w)[Bb][Ee][Aa][Rr][Ee][Rr]\s{1,8}(?!authenti|authori[sz]|credential)[\w.~+/=-]{8,}|(?<![\w-])eyJ[\w-]{5,}(?:\.[\w-]*){1,4}|-----BEGIN [A-Z0-9 ]{1,40}-----(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]{1,40}-----)?|(?<=:\/\/)[^\s/?#]*@/g;
const maybeSecret = /bearer\s|eyJ|-----BEGIN |:\/\//i;
const cutToken = /(?<![\w-])eyJ[\w-]{5,}$/;

/** Shows everything: `redact: false`. */
export const noRedaction: Redactor = {
  hides: () => false,
  hidesHeader: () => false,
  text: (text, limit) => (text.length > limit ? text.slice(0, limit) : text),
};

/** The built-in rules, and what the options add. */
export function createRedactor(options: RedactOptions): Redactor {
  const words = (options.keys ?? [])
    .filter((key) => typeof key === "string")
    .map((word) => word.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const keyPatterns = (options.keys ?? [])
    .filter((key) => key instanceof RegExp)
    .map((key) => new RegExp(key.source, key.flags.replace(/[gy]/g, "")));
  const patterns = (options.values ?? []).map(
    (value) => new RegExp(value.source, `${value.flags.replace(/[gy]/g, "")}g`),
  );
  const { custom } = options;
  const known = new Map<string, boolean>();

  function byRule(key: string): boolean {
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const secret = isSecretKey(key, words) || keyPatterns.some((pattern) => pattern.test(key.slice(-keyChars)));
    if (known.size < 2_000 && key.length <= keyChars) known.set(key, secret);
    return secret;
  }
  function hides(key: string, value: unknown): boolean {
    if (custom === undefined) return byRule(key);
    try {
      return custom(key, value) ?? byRule(key);
    } catch {
      return true;
    }
  }
  return {
    hides,
    hidesHeader: (name, value) => name.startsWith("x-auth-") || hides(name, value),
    text: (text, limit) =>
      redactText(patterns.length === 0 ? text : replaceAll(patterns, text.slice(0, limit + windowChars)), limit),
  };
}

/** Does the key end in a secret word? `extra` are words in lower case without separators. */
export function isSecretKey(key: string, extra: readonly string[] = []): boolean {
  const words = wordsOf(key);
  const last = words.at(-1);
  if (last === undefined) return false;
  if (shortWords.has(last)) return true;
  const joined = (words.at(-3) ?? "") + (words.at(-2) ?? "") + last;
  if (extra.some((word) => word !== "" && joined.endsWith(word))) return true;
  const pair = (words.at(-2) ?? "") + last;
  if (pair === innocentEnding || last.endsWith(innocentEnding)) return false;
  return longWords.some((word) => last.endsWith(word) || pair === word);
}

/** The words of a key, in lower case: split at camelCase and at everything but letters and digits; trailing digits dropped. */
export function wordsOf(key: string): readonly string[] {
  const words = key.slice(-keyChars).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  const named = words.filter((word, index) => index < words.length - 1 || !/^\d+$/.test(word));
  return named.map((word) => word.toLowerCase());
}

/** The first `limit` characters of the text, bearer tokens, JWTs, PEM blocks and URL userinfo replaced. */
export function redactText(text: string, limit: number = Number.POSITIVE_INFINITY): string {
  const cut = text.length > limit;
  const window = cut ? text.slice(0, limit + windowChars) : text;
  if (!maybeSecret.test(window)) return cut ? window.slice(0, limit) : window;
  const shown = replaceIn(window, secretText, limit);
  return cut ? shown.replace(cutToken, REDACTED) : shown;
}

function replaceIn(window: string, pattern: RegExp, limit: number): string {
  let shown = "";
  let at = 0;
  for (const match of window.matchAll(pattern)) {
    if (match.index >= limit) break;
    const userinfo = match[0].endsWith("@") && window.startsWith("://", match.index - 3);
    shown += window.slice(at, match.index) + (userinfo ? `${REDACTED}@` : REDACTED);
    at = match.index + match[0].length;
  }
  return at >= limit ? shown : shown + window.slice(at, limit);
}

function replaceAll(patterns: readonly RegExp[], text: string): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, (match) => (match === "" ? "" : REDACTED)), text);
}
