/**
 * CORS for one origin, and for another under /partner. Written from spec/cors.md.
 */
import type { IncomingMessage } from "node:http";
import type { Reply } from "./exchange.ts";
import { readable } from "./routes.ts";

/** The allowed origin of a path. */
const allowedOn = (url = "/"): string =>
  /^\/partner(?:[/?]|$)/.test(readable(url)) ? "https://partner.example" : "https://app.example";

/** The headers of every response: `Vary`, and the origin if it is the allowed one. */
export function corsHeaders({ headers, url }: IncomingMessage): Readonly<Record<string, string>> {
  const vary = { Vary: "Origin" };
  const allowed = allowedOn(url);
  return headers.origin === allowed ? { ...vary, "Access-Control-Allow-Origin": allowed } : vary;
}

/** The response to a preflight, or undefined if the request is not one. */
export function corsReply(
  { method, headers, url }: IncomingMessage,
  methods = "GET, HEAD, POST, PUT, PATCH, DELETE",
): Reply | undefined {
  if (method !== "OPTIONS" || headers.origin === undefined) return undefined;
  if (headers["access-control-request-method"] === undefined) return undefined;
  if (headers.origin !== allowedOn(url)) return { status: 403, headers: {}, body: "" };
  return {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": "Content-Type, Authorization",
      "Access-Control-Max-Age": "3600",
    },
    body: "",
  };
}
