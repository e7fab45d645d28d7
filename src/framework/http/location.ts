/**
 * URLs in header fields: percent-encoded where they hold what no URL may, as browsers do with a link.
 *
 *   /タグ?q=a b      ──▶ /%E3%82%BF%E3%82%B0?q=a%20b
 *   //münchen.example ──▶ //xn--mnchen-3ya.example
 *   /a%20b            ──▶ as it is: what is encoded is not encoded again
 *
 * No character that divides a URL is touched, so what was checked before is what the client goes to. Control characters
 * stay, and are an error of the field.
 *
 * Spec: spec/context.md
 */

/** What is encoded: blanks, delimiters, everything outside ASCII, a percent sign that begins no escape (RFC 3986 §2). */
const unfit = /[\t "<>`{}]|[^\0-\x7f]|%(?![\dA-Fa-f]{2})/gu;

/** `url` as a header field may carry it. */
export function encodedUrl(url: string): string {
  return withAsciiHost(url).replace(unfit, encodedCharacter);
}

/** A character in UTF-8; half a surrogate pair, which has none, as U+FFFD. */
const encodedCharacter = (character: string): string =>
  encodeURIComponent(/\p{Surrogate}/u.test(character) ? "\ufffd" : character);

/** A URL that is bytes, one a character, as headers that came over a network are. */
export const encodedBytes = (url: string): string =>
  url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** A host outside ASCII becomes the name that DNS has for it (UTS #46); one that is no host is left as it is. */
function withAsciiHost(url: string): string {
  const [, before = "", host = "", behind = ""] =
    /^((?:(?:https?|wss?|ftp):)?\/\/(?:[^/?#\\]*@)?)([^/?#\\@:]+)(.*)$/is.exec(url) ?? [];
  if (!/[^\0-\x7f]/.test(host) || !URL.canParse(`http://${host}`)) return url;
  return before + new URL(`http://${host}`).hostname + behind;
}
