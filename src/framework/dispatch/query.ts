/**
 * QUERY (RFC 10008): the checks before a QUERY handler runs, and the field that advertises it.
 *
 *   no or malformed Content-Type ──▶ 400      a type outside `accept` ──▶ 415 + Accept-Query
 *
 * Spec: spec/query.md
 */
import type { Context } from "../http/context.ts";
import type { Contract } from "../contract/contract.ts";
import { formType, isForm } from "../contract/json-schema.ts";
import { BadRequestError, UnsupportedMediaTypeError } from "../internal/errors.ts";
import { usageError } from "../internal/usage-errors.ts";
import { isJson, mediaTypeOf } from "../http/headers.ts";

/** @throws TypeError when a QUERY accepts only types that its contract's body cannot read, because it would reject everything. */
export function checkAccept(
  where: string,
  { accept, body }: Contract & { readonly accept?: readonly string[] | undefined },
): void {
  if (!where.startsWith("QUERY ") || accept === undefined || body === undefined) return;
  const [kind, wanted] = isForm(body) ? ["a form", formType(body)] : ["JSON", "application/json"];
  const meets = (type: string): boolean => fits(wanted, type) || (kind === "JSON" && isJson(mediaTypeOf(type) ?? ""));
  if (!accept.some(meets))
    throw usageError(
      "CONTRACT_INVALID",
      `${where}: it accepts ${accept.join(", ")}, and its body is ${kind}: ${wanted} is allowed`,
    );
}

/** A check that runs before the handler. @throws TypeError when `accept` holds an invalid media type. */
export function queryCheck(accept: readonly string[] | undefined): (ctx: Context) => void {
  const accepted = accept?.map(checkedMediaType);
  return function checkQuery(ctx) {
    const contentType = ctx.header("content-type");
    if (contentType === undefined) throw new BadRequestError("QUERY needs a Content-Type (RFC 10008)");
    const mediaType = mediaTypeOf(contentType);
    if (mediaType === undefined) throw new BadRequestError("the Content-Type is malformed");
    if (accepted !== undefined && !accepted.some((range) => fits(mediaType, range)))
      throw new UnsupportedMediaTypeError(`QUERY takes ${accepted.join(", ") || "nothing"} here, not ${mediaType}`);
  };
}

/** `Accept-Query` as a structured field: a list of tokens, with strings for types that are not tokens (RFC 9651). */
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
