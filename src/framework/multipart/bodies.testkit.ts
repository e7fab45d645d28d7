/** Shared by the tests of this room: literal bodies. */

/** A piece of a body. */
export type Piece = string | Uint8Array;

/** A part to write. */
export interface WrittenPart {
  readonly name: string;
  readonly value: string;
  readonly filename?: string;
  readonly type?: string;
}

/** A body with the boundary `b`. */
export function formOf(...parts: readonly WrittenPart[]): Buffer {
  const written = parts.map(({ name, value, filename, type }) => {
    const disposition = `Content-Disposition: form-data; name="${name}"`;
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    const line = type === undefined ? "" : `\r\nContent-Type: ${type}`;
    return `--b\r\n${disposition}${file}${line}\r\n\r\n${value}\r\n`;
  });
  return Buffer.from(`${written.join("")}--b--\r\n`);
}

/** Pieces as bytes. */
export function* piecesOf(pieces: Iterable<Piece>): Generator<Uint8Array> {
  for (const piece of pieces) if (piece.length > 0) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}

/** An iterable as a stream that pulls a piece only when it is read. */
export function streamOf(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
    },
    { highWaterMark: 0 },
  );
}

/** Almost a delimiter. */
const nearly = "\r\n--\r\n-b--b\r\r\n--c\r\n\r--b--\n";

/** Bodies, and the parts in them. */
export const fixedBodies: readonly (readonly [Buffer, readonly unknown[]])[] = [
  [
    formOf(
      { name: "a", value: "1" },
      { name: "f", filename: "f.txt", type: "text/plain", value: "two" },
      { name: "b", value: "" },
    ),
    [
      ["a", "1"],
      ["f", "two", "f.txt", "text/plain"],
      ["b", ""],
    ],
  ],
  [formOf({ name: "f", filename: "x", value: nearly }), [["f", nearly, "x", "text/plain"]]],
  [
    Buffer.concat([Buffer.from("a preamble\r\n"), formOf({ name: "ü", value: "ß€" }), Buffer.from("an epilogue")]),
    [["ü", "ß€"]],
  ],
];
