/**
 * ETag middleware: a validator for every whole response, and what conditional requests ask of it.
 *
 *   response, 2xx, to GET, HEAD or QUERY
 *        it has no ETag, its body is whole ──▶ ETag: the hash of the body
 *        the request's conditions           ──▶ met: as it is    not modified: 304    failed: 412
 *
 * The handler runs all the same: what is saved is the response's way to the client, not the work. An ETag or
 * Last-Modified of the handler's own is respected; a stream without one passes.
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
   * Says that two responses with the same tag are the same byte for byte, and not only as good as each other. Needed for
   * `If-Match` and `If-Range`; `CompressionMiddleware` weakens it, since what it sends has other bytes. Default false.
   */
  readonly strong?: boolean | undefined;
}

/**
 * Lets clients ask whether what they have is still current, and sends them 304 instead of the same body again.
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

  /** @throws TypeError naming the option, its value and what is allowed. */
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
    // A part of a representation has the tag of the whole; whoever made it has looked at the conditions.
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

/** Nobody may keep that response, so nobody can ask for it again. */
const isUnstored = (ctx: Context): boolean => /\bno-store\b/i.test(ctx.responseHeader("cache-control") ?? "");

/** What the conditions make of a response. @throws HttpError (412) where they are not met. */
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

/** Of a 304: what speaks of the content, and the date where a tag says it better (RFC 9110 §15.4.5). */
const isLeftOut = (name: string, hasTag: boolean): boolean =>
  describesContent(name) || (hasTag && name === "last-modified");
