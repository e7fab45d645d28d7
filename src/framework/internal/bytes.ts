/** Joins pieces of bytes. */

/** Pieces as one copy, which keeps none of them alive. */
export function joinedBytes(
  pieces: readonly Uint8Array[],
  size: number = pieces.reduce((sum, piece) => sum + piece.length, 0),
): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
