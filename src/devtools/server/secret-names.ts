/**
 * Secret names: which key, header, parameter or field holds a secret, by the words of its name.
 *
 *   "AWS_SECRET_ACCESS_KEY" ──▶ aws secret access key ──▶ ends in access key ──▶ secret
 *   "passwordHash"          ──▶ password hash ──▶ a hash of a password ──▶ secret
 *   "tokenCount"            ──▶ token count ──▶ ends in count ──▶ not secret
 *
 * The words are those that Sentry's data scrubber and the parameter filter of Rails look for, as far as they do not hide
 * ordinary data (`key`, `email`), and what was found missing in both.
 *
 * Spec: spec/trace.md (TRACE)
 */

/** Secret as the end of a word, also of words written together: `accesstoken`. */
const endings: readonly string[] = [
  ...["password", "passwd", "passphrase", "passcode", "secret", "token", "cookie", "credential", "authorization"],
  ...["apikey", "privatekey", "secretkey", "accesskey", "sessionid", "sessid", "connectionstring", "creditcard"],
  ...["cardnumber"],
];
/** Secret as one word or as two or three together, never inside another one. */
const phrases: ReadonlySet<string> = new Set([
  ...["pwd", "cvv", "cvc", "csc", "ssn", "otp", "totp", "pin", "psk", "jwt", "bearer", "csrf", "xsrf", "pincode"],
  ...["authkey", "signingkey", "signaturekey", "encryptionkey", "masterkey", "sharedkey", "accountkey", "sshkey"],
  ...["hmackey", "deploykey", "licensekey", "securitycode", "verificationcode", "recoverycode", "backupcode"],
  ...["cardno", "ccnumber", "socialsecuritynumber", "storagekey", "webhookkey", "seedphrase"],
]);
/** Secret where a text or a number stands under it; `auth: {…}` and `pass: true` are looked into, or shown. */
const ofTexts: ReadonlySet<string> = new Set(["pass", "auth"]);
/** What a secret's name may go on with: a form of it, not something about it. */
const forms: ReadonlySet<string> = new Set([
  ...["hash", "hashed", "digest", "salt", "encrypted", "plain", "plaintext", "raw", "value", "string", "text", "code"],
  ...["confirm", "confirmation", "repeat", "again", "base64", "b64", "hex", "pem", "header", "new", "old"],
]);
/** Ends in a secret word and is none: a place in a list, and a signal. */
const innocent: ReadonlySet<string> = new Set(["pagetoken", "nexttoken", "continuationtoken", "cancellationtoken"]);

/** Characters of a key that are looked at, from its end. */
export const keyChars = 128;

/** Is `key` the name of a secret? `extra` are further endings, in lower case and without separators. */
export function isSecretKey(key: string, extra: readonly string[] = []): boolean {
  const words = wordsOf(key);
  while (forms.has(words.at(-1) ?? "") && !isEnd(words, [])) words.pop();
  return isEnd(words, extra);
}

/** Is `value` of a kind that a secret under such a name has? Flags are none, nor are counts of tokens. */
export function isSecretField(key: string, value: unknown, extra: readonly string[] = []): boolean {
  if (typeof value === "boolean") return false;
  if (typeof value === "number" && /tokens$/i.test(key)) return false;
  if (typeof value === "string" && ofTexts.has(wordsOf(key).at(-1) ?? "")) return true;
  return isSecretKey(key, extra);
}

function isEnd(words: readonly string[], extra: readonly string[]): boolean {
  const last = singular(words.at(-1) ?? "");
  const pair = (words.at(-2) ?? "") + last;
  const triple = (words.at(-3) ?? "") + pair;
  if (extra.some((word) => word !== "" && triple.endsWith(word))) return true;
  if (innocent.has(pair) || [...innocent].some((word) => last.endsWith(word))) return false;
  if (countsOf.test(words.join(" "))) return false;
  return (
    endings.some((word) => last.endsWith(word) || pair === word) ||
    [last, pair, triple].some((phrase) => phrases.has(phrase))
  );
}

/** What language models and limits count. */
const countsOf = /\b(?:max|min|total|prompt|completion|input|output|used|remaining|cached|reasoning) tokens$/;

const singular = (word: string): string => (/[^s]s$/.test(word) ? word.slice(0, -1) : word);

/** The words of a key, in lower case: split at camelCase and at everything but letters, without digits. */
function wordsOf(key: string): string[] {
  const words = key.slice(-keyChars).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+(?:64(?!\d))?/g) ?? [];
  return words.map((word) => word.toLowerCase());
}
