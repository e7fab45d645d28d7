/**
 * Compares secrets without revealing by its duration how much was right.
 *
 * Spec: spec/auth.md
 */
import { sameBytes } from "../internal/bytes.ts";

const encoder = new TextEncoder();

/** Are two secrets equal? Takes equally long for any two, because it compares every byte of their hashes. */
export async function sameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([hashOf(given), hashOf(expected)]);
  return sameBytes(a, b);
}

const hashOf = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
