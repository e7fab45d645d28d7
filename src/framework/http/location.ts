/**
 * URLs in header fields: percent-encodes characters that no URL may hold, as browsers do with a link.
 *
 *   /タグ?q=a b      ──▶ /%E3%82%BF%E3%82%B0?q=a%20b
 *   //münchen.example ──▶ //xn--mnchen-3ya.example
 *   /a%20b            ──▶ as it is, since escapes are not encoded again
 *
 * No delimiter of a URL is changed, so the checked URL is the one that the client requests. Control characters stay, and are an
 * error of the field.
 *
 * Spec: spec/context.md
 */

/** Characters to encode: blanks, delimiters, everything outside ASCII, a percent sign without an escape (RFC 3986 §2). */
const unfit = /[\t "<>`{}]|[^\0-\x7f]|%(?![\dA-Fa-f]{2})/gu;

/** `url` in a form that a header field may carry. */
export function encodedUrl(url: string): string {
  return withAsciiHost(url).replace(unfit, encodedCharacter);
}

/** A character in UTF-8. Half a surrogate pair has no encoding and becomes U+FFFD. */
const encodedCharacter = (character: string): string =>
  encodeURIComponent(/\p{Surrogate}/u.test(character) ? "\ufffd" : character);

/** A URL as bytes, one in each character, as headers from a network are. */
export const encodedBytes = (url: string): string =>
  url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);

/** A host outside ASCII becomes its DNS name (UTS #46). An invalid host is left as it is. */
function withAsciiHost(url: string): string {
  const [, before = "", host = "", behind = ""] =
    /^((?:(?:https?|wss?|ftp):)?\/\/(?:[^/?#\\]*@)?)([^/?#\\@:]+)(.*)$/is.exec(url) ?? [];
  if (!/[^\0-\x7f]/.test(host) || !URL.canParse(`http://${host}`)) return url;
  return before + new URL(`http://${host}`).hostname + behind;
}
