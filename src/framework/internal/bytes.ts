/** Joins and compares bytes. */

/** Pieces as one copy, which keeps none of them alive. */
export function joinedBytes(
  pieces: readonly Uint8Array[],
  size: number = pieces.reduce((sum, piece) => sum + piece.length, 0),
): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Are they equal? Takes equally long for any two of one length, so its duration tells nothing of a secret. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0);
  return difference === 0;
}
