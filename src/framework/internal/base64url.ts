/**
 * Base64url without padding (RFC 4648 §5): the form of bytes in cookies and tokens.
 *
 * Every sequence of bytes has one spelling, and any other is rejected, so a changed token never equals the original.
 */

import { base64Of } from "./base64.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** The six bits of each ASCII character, or -1 for an invalid one. */
const sixes: Int8Array = /* @__PURE__ */ Int8Array.from({ length: 128 }, (_, code) =>
  alphabet.indexOf(String.fromCharCode(code)),
);
const sixAt = (text: string, at: number): number => sixes[text.charCodeAt(at)] ?? -1;

/** The bytes as text. */
export function base64urlOf(bytes: Uint8Array): string {
  return base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of a text, or undefined when it is not their exact spelling. */
export function bytesOfBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const left = text.length % 4;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let at = 0;
  // Four at a time, with a table, because each request with a session uses this, and `atob` makes a copy and accepts several
  // spellings.
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
  // Too short, or unused bits are set, so it is another spelling.
  if (bits < 0 || (bits & (left === 3 ? 0b11 : 0b11_1111_1111)) !== 0) return undefined;
  bytes[at] = bits >> 10;
  bytes[at + 1] = bits >> 2; // If two are left, a write past the end has no effect.
  return bytes;
}
