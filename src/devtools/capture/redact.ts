/**
 * Redaction: secrets are replaced while a value is captured, so that nothing downstream ever holds one.
 *
 *   key   "dbPassword" ──▶ secrets/names.ts ──▶ the value becomes "[redacted]"
 *   text  "Bearer eyJ…" ──▶ secrets/texts.ts ──▶ the part that is a secret becomes "[redacted]"
 *   both  ──▶ secrets/known.ts: the same value is masked everywhere else in that trace
 *
 * Nothing here throws, with any options.
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../run/wire.ts";
import type { KnownSecrets } from "./secrets/known.ts";
import { PromiseWarnings } from "./promise-warnings.ts";
import { isSecretField, keyChars, oneWord } from "./secrets/names.ts";
import { isHarmless, redactText, windowChars } from "./secrets/texts.ts";

/** Additions to the built-in rules for secrets. */
export interface RedactOptions {
  /** Words at the end of a secret key (any case), or patterns for whole keys. */
  readonly keys?: readonly (string | RegExp)[] | undefined;
  /** Patterns of secret parts of texts. */
  readonly values?: readonly RegExp[] | undefined;
  /**
   * Decides synchronously on a key and its value: true redacts, false keeps, undefined leaves it to the rules. A throw redacts,
   * and so does a promise.
   */
  readonly custom?: ((key: string, value: unknown) => boolean | undefined) | undefined;
}

/** Decides what is secret. */
export interface Redactor {
  hides(key: string, value: unknown): boolean;
  hidesHeader(name: string, value: string): boolean;
  /** The first `limit` characters, with the parts that look like secrets replaced. */
  text(text: string, limit: number): string;
  /** Whether `text` leaves it unchanged and it has one byte a character. False for a text that would take long to search. */
  isHarmless(text: string): boolean;
  /** Remembers a hidden value in the secrets of the current trace. */
  remember(value: unknown): void;
  /** The secrets of the current trace, set before each capture. */
  secrets: KnownSecrets | undefined;
}

/** Shows everything: `redact: false`. */
export const noRedaction: Redactor = {
  hides: () => false,
  hidesHeader: () => false,
  text: (text, limit) => text.slice(0, limit),
  isHarmless: () => false,
  remember: () => undefined,
  secrets: undefined,
};

/** The built-in rules with the options' additions. */
export function createRedactor(
  options: RedactOptions,
  promised: PromiseWarnings = new PromiseWarnings(() => undefined),
): Redactor {
  const words = (options.keys ?? []).filter((key) => typeof key === "string").map(oneWord);
  const keyPatterns = (options.keys ?? [])
    .filter((key) => key instanceof RegExp)
    .map((key) => new RegExp(key.source, key.flags.replace(/[gy]/g, "")));
  const patterns = (options.values ?? []).map(
    (value) => new RegExp(value.source, `${value.flags.replace(/[gy]/g, "")}g`),
  );
  const { custom } = options;
  const known = new Map<string, boolean>();

  /** Whether any value under this key can be a secret. Most keys cannot, and occur again and again. */
  function canHide(key: string): boolean {
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const secret = isSecretField(key, "text", words) || isNamed(key);
    if (known.size < 2_000 && key.length <= keyChars) known.set(key, secret);
    return secret;
  }
  const isNamed = (key: string): boolean => keyPatterns.some((pattern) => pattern.test(key.slice(-keyChars)));
  const byRule = (key: string, value: unknown): boolean =>
    canHide(key) && (isSecretField(key, value, words) || isNamed(key));
  function hides(key: string, value: unknown): boolean {
    if (custom === undefined) return byRule(key, value);
    try {
      const decided = custom(key, value);
      if (promised.isOne("redact.custom", decided, "what it was asked about is hidden")) return true;
      return decided ?? byRule(key, value);
    } catch {
      return true;
    }
  }
  const redactor: Redactor = {
    hides,
    hidesHeader: (name, value) => name.startsWith("x-auth-") || hides(name, value),
    text: (text, limit) =>
      redactText(patterns.length === 0 ? text : replaceAll(patterns, text.slice(0, limit + windowChars)), limit, rules),
    isHarmless: patterns.length === 0 ? isHarmless : () => false,
    remember: (value) => redactor.secrets?.add(value),
    secrets: undefined,
  };
  const rules = { isSecret: hides, found: redactor.remember };
  return redactor;
}

function replaceAll(patterns: readonly RegExp[], text: string): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, (match) => (match === "" ? "" : REDACTED)), text);
}
