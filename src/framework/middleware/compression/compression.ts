/**
 * Compression middleware: sends responses in the available coding that the client prefers.
 *
 *   recorded ──▶ content, not coded yet, of a compressible type? ──no──▶ as it is
 *                  │ Vary: Accept-Encoding
 *                  ▼
 *                Accept-Encoding ──▶ br · zstd · gzip ──▶ whole: compressed      in pieces: each is flushed as it comes
 *                                └─▶ identity, or too short to gain ──▶ as it is
 *
 * The sent bytes differ from the recorded ones, so a strong ETag becomes a weak one. Errors are compressed like other
 * responses. A body that cannot be compressed is sent as it is, and counted as a fault.
 *
 * Spec: spec/compression.md
 */
import type { Context, RecordedResponse, ResponseHook, StreamBody } from "../../http/context.ts";
import { mediaTypeOf, withoutFields } from "../../http/headers.ts";
import { IDENTITY, preferredCoding } from "../../internal/accept-encoding.ts";
import { HttpError } from "../../internal/errors.ts";
import { isWithoutContent } from "../../internal/http-rules.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { isRead, listsStrongly, weakened } from "../../internal/preconditions.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import { Faults } from "../../metrics/faults.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";
import { codersOf, type Coder, type CodingName, type Levels } from "./coders.ts";
import { isCompressible } from "./compressible.ts";

/** Options of {@link CompressionMiddleware}. */
export interface CompressionOptions {
  /** The codings, the favourite first. The order decides when a client accepts several equally. Default `br`, `zstd`, `gzip`. */
  readonly codings?: readonly CodingName[] | undefined;
  /** Bytes from which a whole body is compressed. Default 1024. */
  readonly minBytes?: number | undefined;
  /** Whether to compress a body of that media type (lower case, without parameters). Default: texts, JSON, XML and the like. */
  readonly types?: ((mediaType: string) => boolean) | undefined;
  /** The compression level: `br` 0 to 11, `zstd` 1 to 22, `gzip` 1 to 9. Default 4, 3 and 6. */
  readonly levels?: Partial<Levels> | undefined;
}

/**
 * Compresses responses. Install it outside `EtagMiddleware`.
 *
 * @example
 * ```ts
 * app.use(new CompressionMiddleware({ minBytes: 2048 }));
 * ```
 */
export class CompressionMiddleware extends HookMiddleware {
  readonly #coders: ReadonlyMap<CodingName, Coder>;
  readonly #codings: readonly CodingName[];
  /** Those that can flush each piece as it comes. */
  readonly #flushed: readonly CodingName[];
  readonly #minBytes: number;
  readonly #isType: (mediaType: string) => boolean;
  readonly #faults = new Faults("CompressionMiddleware sent a body as it is because compressing it");
  readonly #hook: ResponseHook = (ctx, response) => this.#respond(ctx, response);

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: CompressionOptions = {}) {
    super();
    checkOptionNames("CompressionMiddleware", options, ["codings", "minBytes", "types", "levels"]);
    const { codings = allCodings, minBytes = 1024, types = isCompressible } = options;
    if (!Array.isArray(codings) || codings.length === 0 || !codings.every((name) => allCodings.includes(name)))
      throw invalid("codings", codings, `a list of ${allCodings.map((name) => JSON.stringify(name)).join(", ")}`);
    if (!Number.isSafeInteger(minBytes) || minBytes < 0) throw invalid("minBytes", minBytes, "a whole number from 0");
    if (typeof types !== "function") throw invalid("types", types, "a function (mediaType) => boolean");
    this.#coders = codersOf(levelsOf(options.levels));
    this.#codings = codings.filter((name) => this.#coders.has(name));
    this.#flushed = this.#codings.filter((name) => this.#coders.get(name)?.pieces !== undefined);
    this.#minBytes = minBytes;
    this.#isType = types;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
  }

  before(ctx: Context): void {
    ctx.onResponse(this.#hook);
  }

  #respond(ctx: Context, response: RecordedResponse): ReturnType<ResponseHook> {
    const { status, body } = response;
    if (status === 304) return this.#notModified(ctx);
    if (body === undefined || status === 206 || isWithoutContent(status) || !this.#mayBeCoded(ctx)) return undefined;
    ctx.vary("Accept-Encoding");
    const isWhole = typeof body === "string" || body instanceof Uint8Array;
    const field = ctx.header("accept-encoding");
    const coding = preferredCoding(field, isWhole ? this.#codings : this.#flushed);
    if (coding === undefined) return notAcceptable(ctx, status);
    if (coding === IDENTITY) return undefined;
    const coder = this.#coders.get(coding);
    if (coder === undefined) return undefined;
    if (!isWhole)
      return ctx.method === "HEAD" ? coded(ctx, response, coding, body) : inPieces(ctx, response, coding, coder);
    if (this.#isShort(body) && preferredCoding(field, []) === IDENTITY) return undefined;
    return this.#whole(ctx, response, coding, () => coder.whole(body));
  }

  /**
   * A 304 has the headers of its 200: the weak tag and `Vary`. It does not have the type and the length of the 200. But a
   * client with the strong tag has got the 200 uncompressed.
   */
  #notModified(ctx: Context): undefined {
    if (isUntransformed(ctx)) return undefined;
    ctx.vary("Accept-Encoding");
    const etag = ctx.responseHeader("etag");
    if (etag !== undefined && listsStrongly(ctx.header("if-none-match") ?? "", etag)) return undefined;
    const coding = preferredCoding(ctx.header("accept-encoding"), this.#codings);
    if (etag !== undefined && coding !== undefined && coding !== IDENTITY) ctx.setHeader("ETag", weakened(etag));
    return undefined;
  }

  /** Does compressing make the response smaller, and may it be transformed? */
  #mayBeCoded(ctx: Context): boolean {
    if (ctx.responseHeader("content-encoding") !== undefined || isUntransformed(ctx)) return false;
    const type = mediaTypeOf(ctx.responseHeader("content-type") ?? "");
    return type !== undefined && this.#faults.isTrue(this.#isType, type);
  }

  /** A text has at least as many bytes as units, so most need no count. */
  #isShort(body: string | Uint8Array): boolean {
    if (body.length >= this.#minBytes) return false;
    return typeof body !== "string" || body.length * 3 < this.#minBytes || bytesOf(body) < this.#minBytes;
  }

  #whole(
    ctx: Context,
    response: RecordedResponse,
    coding: CodingName,
    compress: () => Uint8Array | Promise<Uint8Array>,
  ): ReturnType<ResponseHook> {
    const failed = (error: unknown): undefined => {
      this.#faults.note(error);
      return undefined;
    };
    try {
      const compressed = compress();
      if (compressed instanceof Uint8Array) return wholeCoded(ctx, response, coding, compressed);
      return compressed.then((late) => wholeCoded(ctx, response, coding, late), failed);
    } catch (error) {
      return failed(error);
    }
  }
}

const allCodings: readonly CodingName[] = ["br", "zstd", "gzip"];

/** Must intermediaries leave the content unchanged (RFC 9110 §7.7)? */
const isUntransformed = (ctx: Context): boolean => /\bno-transform\b/i.test(ctx.responseHeader("cache-control") ?? "");

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const lengthOf = (body: RecordedResponse["body"]): number =>
  typeof body === "string" ? bytesOf(body) : body instanceof Uint8Array ? body.length : 0;

const invalid = (option: string, value: unknown, allowed: string): TypeError =>
  usageError("CONFIG_INVALID", `CompressionMiddleware: ${option} is ${shown(value)}; ${allowed} is allowed`);

const bounds: Readonly<Record<CodingName, readonly [least: number, most: number]>> = {
  br: [0, 11],
  zstd: [1, 22],
  gzip: [1, 9],
};

function levelsOf(given: Partial<Levels> = {}): Levels {
  for (const [name, level] of Object.entries(given)) {
    const bound = Object.hasOwn(bounds, name) ? bounds[name as CodingName] : undefined;
    if (bound === undefined) throw invalid("levels", given, "an object of br, zstd and gzip");
    if (level === undefined) continue;
    if (!Number.isInteger(level) || level < bound[0] || level > bound[1])
      throw invalid(`levels.${name}`, level, `a whole number from ${bound[0]} to ${bound[1]}`);
  }
  return { br: given.br ?? 4, zstd: given.zstd ?? 3, gzip: given.gzip ?? 6 };
}

/** The response with another body. Fields about the original bytes are dropped: their length, digests and ranges. */
function coded(
  ctx: Context,
  response: RecordedResponse,
  coding: CodingName,
  body: RecordedResponse["body"],
): RecordedResponse {
  const etag = ctx.responseHeader("etag");
  if (etag !== undefined) ctx.setHeader("ETag", weakened(etag));
  const headers = withoutFields(response.headers, (name) => ofTheBytes.has(name));
  return { status: response.status, headers: [...headers, "Content-Encoding", coding], body };
}

const ofTheBytes: ReadonlySet<string> = new Set([
  "content-length",
  "content-md5",
  "content-digest",
  "digest",
  "accept-ranges",
]);

function wholeCoded(ctx: Context, response: RecordedResponse, coding: CodingName, body: Uint8Array): RecordedResponse {
  ctx.annotations?.add("compression", { coding, before: lengthOf(response.body), after: body.length });
  return coded(ctx, response, coding, body);
}

function inPieces(ctx: Context, response: RecordedResponse, coding: CodingName, coder: Coder): RecordedResponse {
  ctx.annotations?.add("compression", { coding, inPieces: true });
  return coded(ctx, response, coding, coder.pieces?.(response.body as StreamBody));
}

/** No available coding is acceptable. If the request had an effect, its outcome is sent all the same. */
function notAcceptable(ctx: Context, status: number): undefined {
  if (!isRead(ctx.method) || status >= 300) return undefined;
  throw new HttpError(406, "Accept-Encoding rejects every coding that there is, and the response without one");
}
