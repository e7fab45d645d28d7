/**
 * Refreshing: a request of the cache to its own app, to make a stale response again in the background.
 *
 * It runs through the whole chain, so what guards the route guards it too. The keys come with it, so that it is stored where the
 * stale response is.
 *
 * Spec: spec/cache.md
 */
import type { Context } from "../http/context.ts";

/** Marks the request. No client can send it. */
export class Refreshing {
  readonly place: string;
  readonly primary: string;

  constructor(place: string, primary: string) {
    this.place = place;
    this.primary = primary;
  }
}

/** Of the message, or of the client's copy. */
const dropped = new Set([
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "expect",
  "cache-control",
  "pragma",
  "range",
  "if-range",
  "if-none-match",
  "if-modified-since",
]);

/** The request again. Undefined when a web Request cannot have its target, or its body is not there. */
export function refreshRequest(ctx: Context): Request | undefined {
  const target = ctx.url + ctx.search;
  const address = `${ctx.scheme}://${ctx.host ?? "localhost"}${target}`;
  if (!URL.canParse(address)) return undefined;
  const { pathname, search } = new URL(address);
  if (pathname + search !== target) return undefined;
  const headers = new Headers();
  for (const [name, value] of ctx.requestHeaders()) if (!dropped.has(name.toLowerCase())) headers.append(name, value);
  if (ctx.method !== "QUERY") return new Request(address, { method: "GET", headers });
  const read = ctx.bodyIfRead();
  if (read === undefined) return undefined;
  const body =
    read instanceof Uint8Array ? Uint8Array.from(read) : typeof read === "string" ? read : JSON.stringify(read);
  return new Request(address, { method: "QUERY", headers, body });
}
