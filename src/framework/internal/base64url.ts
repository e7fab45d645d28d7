/**
 * Base64url without padding (RFC 4648 §5): how bytes stand in cookies and tokens.
 *
 * Every sequence of bytes has one spelling, and any other is rejected: a token that was tampered with is never the same.
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** The six bits that each ASCII character stands for; -1 for one that stands for none. */
const sixes: Int8Array = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) =>
  alphabet.indexOf(String.fromCharCode(code)),
);
const sixAt = (text: string, at: number): number => sixes[text.charCodeAt(at)] ?? -1;

/** The bytes as text. */
export function base64urlOf(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of a text; undefined when it is not exactly how they are written. */
export function bytesOfBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const left = text.length % 4;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let at = 0;
  // Four at once, by a table: each request with a session comes by here, and `atob` takes a copy and several spellings.
  for (let n = 0; n < text.length - left; n += 4) {
    const bits = (sixAt(text, n) << 18) | (sixAt(text, n + 1) << 12) | (sixAt(text, n + 2) << 6) | sixAt(text, n + 3);
    if (bits < 0) return undefined; // One of them is -1.
    bytes[at] = bits >> 16;
    bytes[at + 1] = bits >> 8;
    bytes[at + 2] = bits;
    at += 3;
  }
  if (left === 0) return bytes;
  const end = text.length - left;
  const bits = (sixAt(text, end) << 12) | (sixAt(text, end + 1) << 6) | (left === 3 ? sixAt(text, end + 2) : 0);
  // Too short, or bits of no byte: another spelling.
  if (bits < 0 || (bits & (left === 3 ? 0b11 : 0b11_1111_1111)) !== 0) return undefined;
  bytes[at] = bits >> 10;
  bytes[at + 1] = bits >> 2; // Where two are left there is no place for it, and nothing is kept.
  return bytes;
}
