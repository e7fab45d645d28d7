/**
 * The parts of a form: fields, and files that are read as they come.
 *
 *   busboy ──push──▶ FilePart ──▶ for await · stream · bytes() · text() · saveTo(folder)
 *                       └─ needs more ──▶ progress(): the next piece of the body
 *
 * A file can be read in one way, once, and until the next part is requested.
 *
 * Spec: spec/multipart.md
 */
import { joinedBytes } from "../internal/bytes.ts";
import { stateError } from "../internal/usage-errors.ts";
import { safeName } from "./filename.ts";
import { malformed } from "./limits.ts";
import { saveFile, type SavedFile, type SaveOptions } from "./save.ts";

export type { SavedFile, SaveOptions } from "./save.ts";

/** A field: a name and a text. */
export class FieldPart {
  readonly kind = "field";
  readonly name: string;
  readonly value: string;
  /** Its type according to the sender, `text/plain` by default (RFC 7578 §4.4). */
  readonly mediaType: string;

  constructor(name: string, value: string, mediaType: string) {
    this.name = name;
    this.value = value;
    this.mediaType = mediaType;
  }
}

/** A part: a field or a file, by its `kind`. */
export type Part = FieldPart | FilePart;

/** A file being received. */
export class FilePart {
  readonly kind = "file";
  /** The field's name. */
  readonly name: string;
  /** Its name according to the sender, safe as one segment of a path, or `unnamed` when unusable. */
  readonly filename: string;
  /** The same exactly as it was sent. Never use it as a path, and escape it in HTML. */
  readonly rawFilename: string | undefined;
  /** Its type according to the sender, which does not prove its content. */
  readonly mediaType: string;
  readonly #progress: () => Promise<boolean>;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #limit = Number.POSITIVE_INFINITY;
  #tooLarge: () => unknown = () => undefined;
  #isWhole = false;
  #isDropped = false;
  #failure: { readonly error: unknown } | undefined;
  /** Its reader: the stream, or one loop. */
  #reader: object | undefined;
  #stream: ReadableStream<Uint8Array> | undefined;

  /** @param progress reads the next piece of the body, or returns false after the last one. */
  constructor(name: string, filename: string | undefined, mediaType: string, progress: () => Promise<boolean>) {
    this.name = name;
    this.filename = safeName(filename);
    this.rawFilename = filename;
    this.mediaType = mediaType;
    this.#progress = progress;
  }

  /** Bytes received so far. */
  get size(): number {
    return this.#bytes;
  }

  /** Has the last byte come? Others may still be waiting for a reader. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Its bytes, read no faster than they are consumed. Fails with the errors of `multipart`, after the next part was requested,
   * and when it is already read in another way.
   */
  get stream(): ReadableStream<Uint8Array> {
    return (this.#stream ??= new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          this.#claim(controller);
          const chunk = await this.#next();
          if (chunk === undefined) controller.close();
          else controller.enqueue(chunk);
        },
        cancel: () => this.drop(),
      },
      { highWaterMark: 0 },
    ));
  }

  /** The same bytes without a web stream, which is faster: `for await (const chunk of part)`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#claim({});
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk;
    } finally {
      this.drop();
    }
  }

  /** All bytes, in memory, for files with a small `fileBytes`. */
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return joinedBytes(chunks);
  }

  /** All of it as UTF-8 text. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  /**
   * Writes it into an existing folder, under a random name by default. The file appears under its name when it is whole. A file
   * that breaks off leaves nothing.
   *
   * @throws (rejects) with the errors of `stream`, and with the system's error.
   */
  saveTo(folder: string, options: SaveOptions = {}): Promise<SavedFile> {
    return saveFile(this, this.filename, folder, options);
  }

  /** Reading it fails with that error when it has more bytes. @internal */
  limit(bytes: number, error: () => Error): void {
    this.#limit = bytes;
    this.#tooLarge = error;
    if (this.#bytes > bytes) this.#failure ??= { error: error() };
  }

  /** Takes a piece. @internal */
  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limit) this.#failure ??= { error: this.#tooLarge() };
    if (!this.#isDropped && chunk.length > 0) this.#waiting.push(chunk);
  }

  /** Is it whole and empty? Waits for the first byte, and takes none from its reader. @internal */
  async isEmpty(): Promise<boolean> {
    while (this.#bytes === 0 && !this.#isWhole && (await this.#progress()));
    return this.#bytes === 0 && this.#isWhole;
  }

  /** The last piece has come. @internal */
  end(): void {
    this.#isWhole = true;
  }

  /** Discards the unread bytes. @internal */
  drop(): void {
    this.#isDropped = true;
    this.#waiting = [];
  }

  /** A second reader would silently miss the bytes of the first. */
  #claim(reader: object): void {
    if (!this.#isDropped) this.#reader ??= reader;
    if (this.#reader !== undefined && this.#reader !== reader)
      throw stateError(
        "PART_OVER",
        `the file ${JSON.stringify(this.name)} has been read already: read it in one way, once`,
      );
  }

  async #next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#isDropped)
        throw stateError(
          "PART_OVER",
          `the file ${JSON.stringify(this.name)} was not read whole when the next part was asked for, or the loop left: await it within the loop`,
        );
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) return chunk;
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isWhole) return undefined;
      const isOver = !(await this.#progress());
      if (isOver && !this.#isWhole && this.#waiting.length === 0) throw malformed("the form is cut short");
    }
  }
}
