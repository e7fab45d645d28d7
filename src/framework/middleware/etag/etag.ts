/**
 * ETag middleware: a validator for every whole response, and the evaluation of conditional requests.
 *
 *   response, 2xx, to GET, HEAD or QUERY
 *        it has no ETag, its body is whole ──▶ ETag: the hash of the body
 *        the request's conditions           ──▶ met: as it is    not modified: 304    failed: 412
 *
 * The handler still runs. It saves the transfer to the client, not the work. The handler's own ETag or Last-Modified is used. A
 * stream without one is not changed.
 *
 * Spec: spec/conditional.md
 */
import type { Context, RecordedResponse, ResponseHook } from "../../http/context.ts";
import { describesContent, withoutFields } from "../../http/headers.ts";
import { HttpError } from "../../internal/errors.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { annotateVerdict, evaluatePreconditions, isEntityTag, isRead } from "../../internal/preconditions.ts";
import { usageError } from "../../internal/usage-errors.ts";
import { HookMiddleware } from "../hooks.ts";
import { digestOf, digestOfJson } from "./digest.ts";

/** Options of {@link EtagMiddleware}. */
export interface EtagOptions {
  /**
   * Marks two responses with the same tag as byte-for-byte equal, not only equivalent. Needed for `If-Match` and `If-Range`.
   * `CompressionMiddleware` weakens the tag, because it sends other bytes. Default false.
   */
  readonly strong?: boolean | undefined;
}

/**
 * Lets clients revalidate a cached body, and sends them 304 instead of the same body again.
 *
 * @example
 * ```ts
 * app.use(new CompressionMiddleware()); // around it: the tag is that of the body before it is compressed
 * app.use(new EtagMiddleware());
 * ```
 */
export class EtagMiddleware extends HookMiddleware {
  readonly #isStrong: boolean;
  readonly #hook: ResponseHook = (ctx, response) => this.#respond(ctx, response);

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: EtagOptions = {}) {
    super();
    checkOptionNames("EtagMiddleware", options, ["strong"]);
    const { strong = false } = options;
    if (typeof strong !== "boolean")
      throw usageError("CONFIG_INVALID", `EtagMiddleware: strong is ${JSON.stringify(strong)}; a boolean is allowed`);
    this.#isStrong = strong;
  }

  before(ctx: Context): void {
    if (isRead(ctx.method)) ctx.onResponse(this.#hook);
  }

  #respond(ctx: Context, response: RecordedResponse): ReturnType<ResponseHook> {
    const { status, body } = response;
    // A part of a representation has the tag of the whole, and its maker has evaluated the conditions.
    if (status < 200 || status > 299 || status === 206) return undefined;
    const own = ctx.responseHeader("etag");
    const isHashed = own === undefined && (typeof body === "string" || body instanceof Uint8Array) && !isUnstored(ctx);
    if (!isHashed) return verdict(ctx, response, own);
    const tagged = (digest: string): ReturnType<ResponseHook> => {
      const etag = this.#isStrong ? `"${digest}"` : `W/"${digest}"`;
      ctx.setHeader("ETag", etag);
      return verdict(ctx, response, etag);
    };
    const isJson = typeof body === "string" && ctx.responseHeader("content-type")?.startsWith("application/json");
    const digest = isJson ? digestOfJson(body) : digestOf(body);
    return typeof digest === "string" ? tagged(digest) : digest.then(tagged);
  }
}

/** No client may store that response, so it cannot be revalidated. */
const isUnstored = (ctx: Context): boolean => /\bno-store\b/i.test(ctx.responseHeader("cache-control") ?? "");

/** The effect of the conditions on a response. @throws HttpError (412) when they fail. */
function verdict(ctx: Context, response: RecordedResponse, tag: string | undefined): RecordedResponse | undefined {
  const etag = tag !== undefined && isEntityTag(tag) ? tag : undefined;
  const lastModified = ctx.responseHeader("last-modified");
  if (etag === undefined && lastModified === undefined) return undefined;
  const outcome = evaluatePreconditions(ctx, { etag, lastModified });
  annotateVerdict(ctx, { etag, lastModified }, outcome);
  if (outcome === "met") return undefined;
  if (outcome === "failed") throw new HttpError(412, "the resource is not in the state that the request asks for");
  const headers = withoutFields(response.headers, (name) => isLeftOut(name, etag !== undefined));
  return { status: 304, headers, body: undefined };
}

/** Fields left out of a 304: those about the content, and the date if there is a better tag (RFC 9110 §15.4.5). */
const isLeftOut = (name: string, hasTag: boolean): boolean =>
  describesContent(name) || (hasTag && name === "last-modified");
