/**
 * A stored response for the request at hand: whole, a part of it, or that the client has it.
 *
 *   If-None-Match, If-Modified-Since ──▶ 304        Range, and If-Range fits ──▶ 206 │ 416        else as it is stored
 *
 * Spec: spec/cache.md
 */
import type { Context, RecordedResponse } from "../http/context.ts";
import { describesContent, fieldsOf, withoutFields } from "../http/headers.ts";
import { type ConditionalRequest, evaluatePreconditions } from "../internal/preconditions.ts";

/** A whole response, to be sent. */
export interface Whole {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | undefined;
}

/** What the client gets of a whole response. @param asked with the client's own conditions */
export function partFor(asked: ConditionalRequest, whole: Whole): RecordedResponse {
  const { status, headers, body } = whole;
  if (status !== 200) return whole;
  const [etag, lastModified] = [fieldsOf(headers, "etag"), fieldsOf(headers, "last-modified")];
  const hasConditions = asked.header("if-none-match") !== undefined || asked.header("if-modified-since") !== undefined;
  if (hasConditions && evaluatePreconditions(asked, { etag, lastModified }) === "notModified")
    return { status: 304, headers: withoutFields([...headers], (name) => describesContent(name)), body: undefined };
  const range = asked.method === "GET" && isRangeMeant(asked, etag, lastModified) ? asked.header("range") : undefined;
  return range === undefined || body === undefined ? whole : ranged(range, headers, body);
}

/** Does If-Range name what is stored (RFC 9110 §13.1.5)? */
function isRangeMeant(asked: ConditionalRequest, etag: string | undefined, lastModified: string | undefined): boolean {
  const condition = asked.header("if-range");
  if (condition === undefined) return true;
  if (condition.startsWith('"')) return condition === etag;
  return !condition.startsWith("W/") && condition === lastModified;
}

/** One range of bytes. Several, and what is none, get the whole response (RFC 9110 §14.2). */
function ranged(field: string, headers: readonly string[], body: string | Uint8Array): RecordedResponse {
  const [, from = "", to = ""] = /^\s*bytes=\s*(\d*)-(\d*)\s*$/i.exec(field) ?? [];
  if (from === "" && to === "") return { status: 200, headers, body };
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const first = from === "" ? Math.max(0, bytes.length - Number(to)) : Number(from);
  const last = from === "" || to === "" ? bytes.length - 1 : Math.min(Number(to), bytes.length - 1);
  if (from !== "" && to !== "" && Number(to) < Number(from)) return { status: 200, headers, body };
  const others = withoutFields([...headers], (name) => name === "content-length" || name === "content-range");
  if (first >= bytes.length || first > last) {
    const kept = withoutFields(others, (name) => describesContent(name));
    return { status: 416, headers: [...kept, "Content-Range", `bytes */${bytes.length}`], body: undefined };
  }
  const range = ["Content-Range", `bytes ${first}-${last}/${bytes.length}`];
  return { status: 206, headers: [...others, ...range], body: bytes.slice(first, last + 1) };
}

/** Records a response. A field that middleware outside has set for this request stays as it is. */
export function record(ctx: Context, { status, headers, body }: RecordedResponse): void {
  const outer = new Set(headers.filter((name, at) => at % 2 === 0 && ctx.responseHeader(name) !== undefined));
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    if (name.toLowerCase() === "vary") for (const one of value.split(",")) ctx.vary(one.trim());
    else if (!outer.has(name)) ctx.appendHeader(name, value);
  }
  ctx.status(status);
  // As bytes, since a contract would check the text of a response again.
  if (typeof body === "string") ctx.send(new TextEncoder().encode(body));
  else if (body !== undefined) ctx.send(body);
  else ctx.reply(status);
}
