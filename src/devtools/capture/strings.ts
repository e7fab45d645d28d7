/**
 * Strings: how much memory one takes, and how to keep a piece without keeping the whole.
 *
 * A slice of a large string keeps the large one alive, so the kept part of a cut string is copied.
 */

/** Whether a character needs two bytes. */
export const isWide = (text: string): boolean => /[^\0-\xff]/.test(text);

/** The same text in separate memory. */
export function copyOf(text: string): string {
  if (text.length < 13) return text;
  const encoding = isWide(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}

/** Bytes that the characters take. */
export const heapSizeOf = (text: string): number => (isWide(text) ? text.length * 2 : text.length);

/** Whether it is the first half of a surrogate pair. */
export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
