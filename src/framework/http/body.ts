/**
 * The body of a request. It is read once, as one value or in pieces.
 *
 *   bytes ──coding undone──▶ bytes ──UTF-8──▶ text ──JSON──▶ value ──type──▶ T
 *    413          415, 400          400           400            422
 *
 * Made on first use, so a request without a body costs nothing.
 *
 * Spec: spec/context.md
 */
import { check, isBodyType, isRejected, unprocessable, type BodyType } from "../contract/schema.ts";
import { BadRequestError, ContentTooLargeError, UnsupportedMediaTypeError } from "../internal/errors.ts";
import { handled, ignore } from "../internal/thenable.ts";
import { stateError } from "../internal/usage-errors.ts";
import { codingOf, decodeBytes, decodeStream, type Coding } from "./content-coding.ts";
import type { Exchange } from "./exchange.ts";
import { isJson, isOtherCharset, mediaTypeOf } from "./headers.ts";
import { parsePairs } from "./target.ts";

/** The limits of a body other than its size. */
export interface BodySettings {
  readonly jsonDepth: number;
  readonly queryPairs: number;
}

const FORM = "application/x-www-form-urlencoded";

/** One request's body. */
export class RequestBody {
  readonly #exchange: Exchange;
  readonly #settings: BodySettings;
  /** The limit in bytes, both before and after decoding. */
  readonly #limit: number;
  #isChecked = false;
  #bytes: Promise<Uint8Array> | undefined;
  #json: Promise<unknown> | undefined;
  /** The JSON value if it has been read, else the text, else the bytes. */
  read: unknown;

  constructor(exchange: Exchange, settings: BodySettings, limit: number) {
    this.#exchange = exchange;
    this.#settings = settings;
    this.#limit = limit;
  }

  /**
   * Checks the headers of the body before it is read.
   *
   * @throws HttpError 413 when Content-Length exceeds the limit, 400 when several Content-Type lines differ, because another
   * reader could pick a different line than we do.
   */
  check(): void {
    if (Number(this.#exchange.header("content-length")) > this.#limit) throw new ContentTooLargeError(this.#limit);
    if (this.#exchange.hasTwoTypes === true) throw twoTypes();
    this.#isChecked = true;
  }

  /**
   * The JSON value. One asynchronous step after the bytes and none before, since each step costs as much as parsing a small
   * body.
   */
  json(): Promise<unknown> {
    return (this.#json ??= this.#parsed());
  }

  /** The JSON value as `type` returns it. */
  jsonOf(type: BodyType): Promise<unknown> {
    return handled(this.json().then((value) => validate(value, type)));
  }

  text(): Promise<string> {
    return handled(this.#text());
  }

  bytes(): Promise<Uint8Array> {
    if (this.#bytes !== undefined) return this.#bytes;
    const reading = (this.#bytes = this.whole());
    reading.then((bytes) => {
      this.read ??= bytes;
    }, ignore);
    return reading;
  }

  form(): Promise<Readonly<Record<string, readonly string[]>>> {
    return handled(this.#form());
  }

  /** The body in pieces. @throws Error when it was read already. */
  stream(): ReadableStream<Uint8Array> {
    if (this.#bytes !== undefined)
      throw stateError("BODY_READ", "the body was read already: call bodyAsStream() first, and nothing else then");
    const coding = this.#coding();
    this.#bytes = Promise.reject(
      stateError("BODY_READ", "the body is being read as a stream: it cannot be read in another way then"),
    );
    void handled(this.#bytes);
    const stream = this.#exchange.stream(this.#limit);
    return coding === undefined ? stream : decodeStream(stream, coding, this.#limit);
  }

  /** The body in pieces for another consumer. Bytes already read are given again. */
  toPass(): ReadableStream<Uint8Array> {
    if (this.#bytes === undefined) return this.stream();
    const bytes = this.#bytes;
    return new ReadableStream({
      async start(controller) {
        controller.enqueue(await bytes);
        controller.close();
      },
    });
  }

  /** The decoded bytes. The limit applies both before and after decoding. */
  protected whole(): Promise<Uint8Array> {
    let coding: Coding | undefined;
    try {
      coding = this.#coding();
    } catch (error) {
      return Promise.reject(error);
    }
    const whole = this.#exchange.read(this.#limit);
    return coding === undefined ? whole : this.#decoded(whole, coding);
  }

  async #decoded(whole: Promise<Uint8Array>, coding: Coding): Promise<Uint8Array> {
    return decodeBytes(await whole, coding, this.#limit);
  }

  /** Its content coding. @throws HttpError when it cannot be read as its headers say (400, 415). */
  #coding(): Coding | undefined {
    this.#checkType();
    const named = this.#exchange.header("content-encoding");
    return named === undefined || this.#exchange.isBodyDecoded === true ? undefined : codingOf(named);
  }

  /** @throws BadRequestError (400) as `parseJson` does. */
  protected parsed(bytes: Uint8Array): unknown {
    return parseJson(decodeText(bytes), this.#settings.jsonDepth);
  }

  #checkType(): void {
    if (!this.#isChecked && this.#exchange.hasTwoTypes === true) throw twoTypes();
    this.#isChecked = true;
  }

  async #text(): Promise<string> {
    expectUtf8(this.#exchange.header("content-type"));
    const text = decodeText(await this.bytes());
    if (this.#json === undefined) this.read = text;
    return text;
  }

  async #form(): Promise<Readonly<Record<string, readonly string[]>>> {
    this.#checkType();
    const contentType = this.#exchange.header("content-type");
    const mediaType = contentType === undefined ? "nothing" : (mediaTypeOf(contentType) ?? "a malformed Content-Type");
    if (mediaType !== FORM) throw new UnsupportedMediaTypeError(`a form was expected: ${FORM}, not ${mediaType}`);
    expectUtf8(contentType);
    const text = decodeText(await this.bytes());
    this.read = text;
    return parsePairs(text, this.#settings.queryPairs, "form");
  }

  #parsed(): Promise<unknown> {
    try {
      this.#checkType();
      const contentType = this.#exchange.header("content-type");
      if (contentType !== "application/json") expectJson(contentType);
    } catch (error) {
      return handled(Promise.reject(error));
    }
    const json: Promise<unknown> = (this.#bytes ??= this.whole()).then(
      (bytes) => {
        this.read ??= bytes;
        try {
          return (this.read = this.parsed(bytes));
        } catch (error) {
          void handled(json); // Created only now, because one promise for each readable body would be one too many.
          throw error;
        }
      },
      (error: unknown) => {
        void handled(json);
        throw error;
      },
    );
    return json;
  }
}

const twoTypes = (): BadRequestError =>
  new BadRequestError("the Content-Type lines differ: a request has one Content-Type");

/** @throws UnsupportedMediaTypeError (415) when the Content-Type is not JSON. */
function expectJson(contentType: string | undefined): void {
  if (contentType === undefined)
    throw new UnsupportedMediaTypeError("a JSON body needs Content-Type: application/json");
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined || !isJson(mediaType))
    throw new UnsupportedMediaTypeError(`a JSON body was expected, not ${mediaType ?? "a malformed Content-Type"}`);
  expectUtf8(contentType);
}

/** @throws UnsupportedMediaTypeError (415) when a text declares another charset. */
function expectUtf8(contentType: string | undefined): void {
  if (contentType === undefined || !isOtherCharset(contentType)) return;
  throw new UnsupportedMediaTypeError("the charset of a body is UTF-8 here, and its Content-Type says another");
}

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder();

/**
 * Decodes text. A strict decoder is many times slower on Deno, so it runs only when the fast one may have replaced an error
 * with U+FFFD.
 *
 * @throws BadRequestError (400) when the bytes are not UTF-8.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = lenient.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  try {
    return strict.decode(bytes);
  } catch {
    throw new BadRequestError("the body is not valid UTF-8");
  }
}

/**
 * The JSON value of `text`.
 *
 * @throws BadRequestError (400): empty, malformed, deeper than `maxDepth`, or with a key that could reach a prototype.
 */
export function parseJson(text: string, maxDepth: number, what = "the body"): unknown {
  if (text.trim() === "") throw new BadRequestError(`${what} is empty; JSON was expected`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BadRequestError(`${what} is not valid JSON: ${syntaxMessage(cause)}`, { cause });
  }
  if (typeof value === "object" && value !== null && mayBeRejected(text, maxDepth)) inspect(value, maxDepth, what);
  return value;
}

/**
 * Could `inspect` reject the text? Only if it holds one of the keys, plain or escaped, or more brackets than the allowed
 * levels. This scan takes a tenth of the time of walking the value. On Bun, finding one character takes a fifth of the time of
 * finding a word.
 */
function mayBeRejected(text: string, maxDepth: number): boolean {
  if (text.includes("_") && text.includes("__proto__")) return true;
  if (text.includes("\\") && text.includes("\\u")) return true;
  if (text.includes("constructor")) return true;
  // Each level takes two characters.
  return text.length > 2 * maxDepth && occurrences(text, "{") + occurrences(text, "[") > maxDepth;
}

function occurrences(text: string, bracket: string): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) count += 1;
  return count;
}

/** V8's message without its quote from the body. */
function syntaxMessage(cause: unknown): string {
  const message = String(cause);
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  return at ?? (message.startsWith("SyntaxError: Unexpected end") ? "it ends too early" : "it is malformed");
}

function inspect(value: object, depthLeft: number, what: string): void {
  if (depthLeft <= 0) throw new BadRequestError(`${what} is nested too deeply`);
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) inspect(item, depthLeft - 1, what);
    return;
  }
  for (const key of Object.keys(value)) {
    const item: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (key === "__proto__" || (key === "constructor" && Object.hasOwn(Object(item), "prototype")))
      throw new BadRequestError(`${what} holds the key ${JSON.stringify(key)}, which is rejected`);
    if (typeof item === "object" && item !== null) inspect(item, depthLeft - 1, what);
  }
}

/** `value` as `type` returns it. @throws UnprocessableContentError (422) with the issues when `type` rejects it. */
export async function validate(value: unknown, type: BodyType): Promise<unknown> {
  if (!isBodyType(type))
    throw new TypeError(
      "ctx.body(type) takes a Standard Schema, a compiled TypeBox validator, an object with parse, or a function",
    );
  const checked = await check(value, type);
  if (isRejected(checked)) throw unprocessable([["body", checked.issues]]);
  return checked.value;
}
