/**
 * Delimiters: counts the parts of a body by its boundaries (RFC 2046 §5.1.1), for any split into pieces.
 *
 *   CRLF--boundary ──▶ a part begins          CRLF--boundary-- ──▶ the rest is not a part
 *
 * The parser reports only valid form parts. The difference is the number of parts that it skipped.
 *
 * Spec: spec/multipart.md
 */

/** Counts them. */
export class Delimiters {
  readonly #delimiter: Buffer;
  /** The beginning of a possible delimiter that the next piece may complete. The first one needs no line end before it. */
  #rest: Buffer = Buffer.from("\r\n");
  #isClosed = false;
  #parts = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** The number of parts so far. */
  get parts(): number {
    return this.#parts;
  }

  /** Takes the next piece of the body. Only the bytes across two pieces are joined, so a long one is not copied. */
  take(piece: Uint8Array): void {
    if (this.#isClosed) return;
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    // Long enough to decide every delimiter that begins in the rest.
    const head = bytes.subarray(0, 2 * this.#delimiter.length);
    const seam = Buffer.concat([this.#rest, head]);
    const decided = this.#count(seam);
    if (head.length === bytes.length) return this.#keep(seam.subarray(decided));
    const left = bytes.subarray(decided - this.#rest.length);
    this.#keep(left.subarray(this.#count(left)));
  }

  /** Counts complete delimiters. From the returned index on nothing is decided. */
  #count(bytes: Buffer): number {
    const { length } = this.#delimiter;
    let from = 0;
    for (let at = bytes.indexOf(this.#delimiter); at >= 0; at = bytes.indexOf(this.#delimiter, from)) {
      if (at + length + 2 > bytes.length) return at; // Does it close the body?
      from = at + length;
      this.#isClosed ||= bytes.toString("latin1", from, from + 2) === "--";
      if (this.#isClosed) break;
      this.#parts += 1;
    }
    return Math.max(from, bytes.length - length + 1);
  }

  /** A copy, since the reader of a file may write to its pieces. */
  #keep(rest: Buffer): void {
    this.#rest = Buffer.from(rest);
  }
}
