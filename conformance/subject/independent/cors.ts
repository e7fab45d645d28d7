/**
 * CORS for one origin. Written from spec/cors.md.
 */
import type { IncomingMessage } from "node:http";
import type { Reply } from "./exchange.ts";

const allowedOrigin = "https://app.example";

/** What every response carries: `Vary`, and the origin when it is the allowed one. */
export function corsHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const vary = { Vary: "Origin" };
  return headers.origin === allowedOrigin ? { ...vary, "Access-Control-Allow-Origin": allowedOrigin } : vary;
}

/** The answer to a preflight; undefined when the request is none. */
export function corsReply(
  { method, headers }: IncomingMessage,
  methods = "GET, HEAD, POST, PUT, PATCH, DELETE",
): Reply | undefined {
  if (method !== "OPTIONS" || headers.origin === undefined) return undefined;
  if (headers["access-control-request-method"] === undefined) return undefined;
  if (headers.origin !== allowedOrigin) return { status: 403, headers: {}, body: "" };
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
