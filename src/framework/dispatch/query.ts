/**
 * QUERY (RFC 10008): what is checked before a QUERY handler runs, and the field that advertises it.
 *
 *   no or malformed Content-Type ──▶ 400      a type outside `accept` ──▶ 415 + Accept-Query
 *
 * Spec: spec/query.md (QUERY)
 */
import type { Context } from "../http/context.ts";
import { BadRequestError, UnsupportedMediaTypeError } from "../internal/errors.ts";
import { mediaTypeOf } from "../http/headers.ts";

/** A check to run where the handler would be. @throws TypeError when `accept` holds something that is no media type. */
export function queryCheck(accept: readonly string[] | undefined): (ctx: Context) => void {
  const accepted = accept?.map(checkedMediaType);
  return function checkQuery(ctx) {
    const contentType = ctx.header("content-type");
    if (contentType === undefined) throw new BadRequestError("QUERY needs a Content-Type (RFC 10008)");
    const mediaType = mediaTypeOf(contentType);
    if (mediaType === undefined) throw new BadRequestError("the Content-Type is malformed");
    if (accepted !== undefined && !accepted.some((range) => fits(mediaType, range)))
      throw new UnsupportedMediaTypeError(`QUERY takes ${accepted.join(", ")} here, not ${mediaType}`);
  };
}

/** `Accept-Query` as a structured field: a list of tokens, strings for types that are no token (RFC 9651). */
export function acceptQueryField(accept: readonly string[]): string {
  return accept
    .map(checkedMediaType)
    .map((type) => (/^[a-z*]/.test(type) ? type : `"${type}"`))
    .join(", ");
}

function checkedMediaType(type: string): string {
  const essence = mediaTypeOf(type);
  if (essence === undefined || type.includes(";"))
    throw new TypeError(`accept holds ${JSON.stringify(type)}: a media type such as "application/json" is allowed`);
  return essence;
}

const fits = (mediaType: string, range: string): boolean =>
  range === "*/*" || range === mediaType || (range.endsWith("/*") && mediaType.startsWith(range.slice(0, -1)));
