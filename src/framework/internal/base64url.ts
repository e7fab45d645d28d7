/**
 * Base64url without padding (RFC 4648 §5): how bytes stand in cookies and tokens.
 *
 * Every sequence of bytes has one spelling, and any other is rejected: a token that was tampered with is never the same.
 */

/** The bytes as text. */
export function base64urlOf(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of a text; undefined when it is not exactly how they are written. */
export function bytesOfBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return base64urlOf(bytes) === text ? bytes : undefined;
}
