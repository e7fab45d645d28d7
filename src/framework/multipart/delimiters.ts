/**
 * Delimiters: how many parts a body has by its boundaries (RFC 2046 §5.1.1), in whatever pieces it comes.
 *
 *   CRLF--boundary ──▶ a part begins          CRLF--boundary-- ──▶ what follows is no part
 *
 * The parser tells of the parts of a form alone. What it passes over is the difference.
 *
 * Spec: spec/multipart.md (MULTI)
 */

/** Counts them. */
export class Delimiters {
  readonly #delimiter: Buffer;
  /** What the next piece may complete to a delimiter. The first one needs no line end before it. */
  #rest: Buffer = Buffer.from("\r\n");
  #isClosed = false;
  #parts = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** How many parts have begun. */
  get parts(): number {
    return this.#parts;
  }

  /** Takes the next piece of the body. */
  take(piece: Uint8Array): void {
    if (this.#isClosed) return;
    const bytes = Buffer.concat([this.#rest, piece]);
    const { length } = this.#delimiter;
    let from = 0;
    for (let at = bytes.indexOf(this.#delimiter); at >= 0; at = bytes.indexOf(this.#delimiter, from)) {
      if (at + length + 2 > bytes.length) return void (this.#rest = bytes.subarray(at)); // Does it close the body?
      if (bytes.toString("latin1", at + length, at + length + 2) === "--") return void (this.#isClosed = true);
      this.#parts += 1;
      from = at + length;
    }
    this.#rest = bytes.subarray(Math.max(from, bytes.length - length + 1));
  }
}
