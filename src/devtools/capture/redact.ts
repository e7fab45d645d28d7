/**
 * Redaction: secrets are replaced while a value is captured, so that nothing downstream ever holds one.
 *
 *   key   "dbPassword" ──▶ secret-names.ts ──▶ the value becomes "[redacted]"
 *   text  "Bearer eyJ…" ──▶ secret-texts.ts ──▶ the part that is a secret becomes "[redacted]"
 *   both  ──▶ known-secrets.ts: masked wherever else the same value turns up in that trace
 *
 * Nothing here throws, whatever the options do.
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../run/wire.ts";
import type { KnownSecrets } from "./secrets/known.ts";
import { PromiseWarnings } from "./promise-warnings.ts";
import { isSecretField, keyChars, oneWord } from "./secrets/names.ts";
import { isHarmless, redactText, windowChars } from "./secrets/texts.ts";

/** What counts as a secret besides the built-in rules. */
export interface RedactOptions {
  /** Words a secret key ends in (any case), or patterns for whole keys. */
  readonly keys?: readonly (string | RegExp)[] | undefined;
  /** Patterns of secret parts of texts. */
  readonly values?: readonly RegExp[] | undefined;
  /**
   * Decides at once on a key and its value: true redacts, false keeps, undefined leaves it to the rules. A throw redacts, and
   * so does a promise.
   */
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
  /** Does `text` leave it as it is, and has it one byte a character? False for what would take long to look through. */
  isHarmless(text: string): boolean;
  /** Remembers a value that was hidden, in the secrets of the trace that is being captured. */
  remember(value: unknown): void;
  /** The secrets of the trace that is being captured: set before each capture. */
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

/** The built-in rules, and what the options add. */
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

  /** By its name alone: can anything under this key be a secret? Most keys cannot, and are seen again and again. */
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
