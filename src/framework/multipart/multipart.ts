/**
 * multipart(ctx): the parts of a form with files, one after the other, read no faster than they are requested.
 *
 *   for await (part) ──▶ step: one piece of the body ──▶ busboy ──▶ fields, files, pieces of files
 *   part.stream.read() ──▶ step ──┘
 *
 * A piece of the body is read only when the consumer waits for something, so about one piece of a file of any size is in
 * memory. A request for the next part drops the unread rest of the file before. Leaving the loop drops the rest of the body. An
 * error in the body closes the connection.
 *
 * Spec: spec/multipart.md
 */
import { UnsupportedMediaTypeError } from "../internal/errors.ts";
import { type BusboyParser, loadBusboy } from "./busboy.ts";
import { Delimiters } from "./delimiters.ts";
import { bytesOf } from "./filename.ts";
import { type FilledLimits, limitsOf, malformed, type MultipartLimits, tooMuch } from "./limits.ts";
import { FieldPart, FilePart, type Part } from "./parts.ts";

/** The source of a form, that is a context. */
export interface MultipartSource {
  header(name: string): string | undefined;
  bodyAsStream(): ReadableStream<Uint8Array>;
}

/**
 * The parts of a `multipart/form-data` body in their order.
 *
 * @throws UnsupportedMediaTypeError (415) for another type, BadRequestError (400) for a body that is malformed or cut short,
 *   HttpError (413) past a limit, ClientGoneError when the client leaves. Each is thrown where the parts are awaited.
 * @throws TypeError naming an invalid limit.
 *
 * @example
 * ```ts
 * app.post("/pictures", { maxBodyBytes: 50_000_000 }, async (ctx) => {
 *   const saved: string[] = [];
 *   for await (const part of multipart(ctx, { files: 10, fileBytes: 5_000_000 }))
 *     if (part.kind === "file") saved.push((await part.saveTo("pictures")).path);
 *   return { saved };
 * });
 * ```
 */
export function multipart(ctx: MultipartSource, limits: MultipartLimits = {}): AsyncGenerator<Part, void, undefined> {
  return partsOf(ctx, limitsOf(limits));
}

async function* partsOf(ctx: MultipartSource, limits: FilledLimits): AsyncGenerator<Part, void, undefined> {
  const boundary = boundaryOf(ctx);
  const Busboy = await loadBusboy();
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    preservePath: true,
    limits: {
      parts: limits.parts,
      files: limits.files,
      fields: Number.POSITIVE_INFINITY,
      fileSize: limits.fileBytes,
      fieldSize: limits.fieldBytes,
      headerSize: headBytes,
    },
  });
  const reading = new Reading(ctx.bodyAsStream().getReader(), parser, new Delimiters(boundary), limits);
  try {
    for (let part = await reading.next(); part !== undefined; part = await reading.next()) yield part;
  } finally {
    reading.leave();
  }
}

/** The parsed bytes of a part's head. Its names are shorter. */
const headBytes = 8_192;

const boundaryField = /;\s*boundary\s*=\s*(?:"(?<quoted>[^"\r\n]*)"|(?<token>[^\s;"]*))/i;

/** @throws UnsupportedMediaTypeError (415) for another type, BadRequestError (400) without a boundary (RFC 2046 §5.1.1). */
function boundaryOf(ctx: MultipartSource): string {
  const contentType = ctx.header("content-type") ?? "";
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (mediaType !== "multipart/form-data")
    throw new UnsupportedMediaTypeError(
      `a form was expected: multipart/form-data, not ${mediaType.slice(0, 64) || "nothing"}`,
    );
  const { quoted, token } = boundaryField.exec(contentType)?.groups ?? {};
  const boundary = quoted ?? token ?? "";
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw malformed("the Content-Type of the form has no boundary, or one that is none");
  return boundary;
}

/** One body being parsed. */
class Reading {
  readonly #body: ReadableStreamDefaultReader<Uint8Array>;
  readonly #parser: BusboyParser;
  readonly #delimiters: Delimiters;
  readonly #limits: FilledLimits;
  /** Parts that were found and not yet requested, that is those of one piece of the body. */
  readonly #found: Part[] = [];
  #current: FilePart | undefined;
  /** Parts that the parser has reported. It skips parts that do not belong to a form. */
  #told = 0;
  #step: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  /** Ends the wait for the parser, which may never acknowledge a piece. */
  #settle: () => void = () => undefined;

  constructor(
    body: ReadableStreamDefaultReader<Uint8Array>,
    parser: BusboyParser,
    delimiters: Delimiters,
    limits: FilledLimits,
  ) {
    this.#body = body;
    this.#parser = parser;
    this.#delimiters = delimiters;
    this.#limits = limits;
    const { parts, files } = limits;
    parser
      .on("field", (name, value, isNameCut, isValueCut, _encoding, mediaType) => {
        this.#told += 1;
        if (isValueCut) return this.#fail(tooMuch(`a field may have at most ${limits.fieldBytes} bytes`));
        if (this.#isNamed(name, isNameCut)) this.#found.push(new FieldPart(name, value, mediaType));
      })
      .on("file", (name, file, filename, _encoding, mediaType) => {
        this.#told += 1;
        const part = new FilePart(name ?? "", filename, mediaType, () => this.#progress());
        file
          .on("data", (chunk) => part.push(chunk))
          .on("end", () => part.end())
          .on("limit", () => this.#fail(tooMuch(`a file may have at most ${limits.fileBytes} bytes`)))
          .on("error", (error) => this.#fail(this.#broken(error)));
        if (this.#isNamed(name, false) && this.#isShort(filename)) this.#found.push(part);
      })
      .on("partsLimit", () => this.#fail(tooMuch(`a form may have at most ${parts} parts`)))
      .on("filesLimit", () => this.#fail(tooMuch(`a form may have at most ${files} files`)))
      .on("error", (error) => this.#fail(this.#broken(error)))
      .on("finish", () => this.#finish());
  }

  /** The next part, or undefined after the last. */
  async next(): Promise<Part | undefined> {
    const before = this.#current;
    this.#current = undefined;
    if (before !== undefined) await this.#pass(before);
    while (this.#found.length === 0 && (await this.#progress()));
    const part = this.#found.shift();
    if (part instanceof FilePart) this.#current = part;
    if (part === undefined && this.#failure !== undefined) throw this.#failure.error;
    return part;
  }

  /** Drops the rest of a file. */
  async #pass(file: FilePart): Promise<void> {
    file.drop();
    while (!file.isWhole && (await this.#progress()));
  }

  /** The consumer has stopped. The rest is read and dropped, so that the connection can be used again. */
  leave(): void {
    for (const part of [this.#current, ...this.#found]) if (part instanceof FilePart) part.drop();
    if (this.#failure === undefined && !this.#isOver) void this.#dropRest();
    else this.#release();
  }

  async #dropRest(): Promise<void> {
    await this.#step?.catch(() => undefined);
    this.#isOver = true;
    try {
      while (!(await this.#body.read()).done);
    } catch {
      // It breaks off, or exceeds the body limit, and there is no consumer to notify.
    }
    this.#release();
  }

  /** Reads one piece of the body, unless one is being read. False at the end. @throws (rejects) the failure. */
  async #progress(): Promise<boolean> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isOver) return false;
    this.#step ??= this.#take().finally(() => {
      this.#step = undefined;
    });
    await this.#step;
    return true;
  }

  async #take(): Promise<void> {
    const { done, value } = await this.#body.read().catch((error: unknown) => {
      this.#fail(error);
      throw error;
    });
    if (this.#isOver) return;
    if (!done) this.#delimiters.take(value);
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      if (done) this.#parser.end();
      else this.#parser.write(value, resolve);
    });
    if (this.#failure !== undefined && this.#found.length === 0) throw (this.#failure as { error: unknown }).error;
  }

  /** @returns whether the part has a usable name */
  #isNamed(name: string | undefined, isCut: boolean): name is string {
    if (name === undefined || name === "") {
      this.#fail(malformed("a part of the form has no name"));
      return false;
    }
    return this.#isShort(name, isCut);
  }

  #isShort(name: string | undefined, isCut = false): boolean {
    const { nameBytes } = this.#limits;
    if (!isCut && (name === undefined || bytesOf(name) <= nameBytes)) return true;
    this.#fail(malformed(`a name in the form has more than ${nameBytes} bytes`));
    return false;
  }

  #broken(cause: Error): Error {
    const isCut = /unexpected end|terminated early/i.test(cause.message);
    return malformed(isCut ? "the form is cut short" : "the form is malformed", cause);
  }

  #finish(): void {
    if (this.#told < this.#delimiters.parts)
      return this.#fail(
        malformed("a part of the form has no Content-Disposition: form-data, or one that is malformed"),
      );
    this.#isOver = true;
    this.#settle();
  }

  /** The first error counts. Nothing is parsed or read after it. */
  #fail(error: unknown): void {
    if (this.#failure !== undefined || this.#isOver) return;
    this.#failure = { error };
    this.#isOver = true;
    this.#settle();
    this.#release();
  }

  #release(): void {
    this.#parser.destroy();
    this.#body.cancel().catch(() => undefined);
  }
}
