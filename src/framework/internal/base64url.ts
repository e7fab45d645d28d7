/**
 * Base64url without padding (RFC 4648 §5): how bytes stand in cookies and tokens.
 *
 * Every sequence of bytes has one spelling, and any other is rejected: a token that was tampered with is never the same.
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const none = 64;
/** The six bits that each ASCII character stands for. */
const sixes: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const six = alphabet.indexOf(String.fromCharCode(code));
  return six < 0 ? none : six;
});

/** The bytes as text. */
export function base64urlOf(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of a text; undefined when it is not exactly how they are written. */
export function bytesOfBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  // A loop: every request with a session comes by here, and `atob` takes two more spellings and a copy.
  let [held, bits, at] = [0, 0, 0];
  for (let n = 0; n < text.length; n += 1) {
    const six = sixes[text.charCodeAt(n)] ?? none;
    if (six === none) return undefined;
    held = (held << 6) | six;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = held >> bits;
    at += 1;
    held &= (1 << bits) - 1;
  }
  return held === 0 ? bytes : undefined; // Bits that no byte has: a second spelling.
}
