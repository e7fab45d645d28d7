/**
 * The body of a request as the host has left it.
 *
 *   nothing read yet ──▶ undefined: read the stream
 *   rawBody, or a body of bytes or text ──▶ these bytes
 *   a body parsed from JSON ──▶ its JSON again
 *   anything else ──▶ an error with a way out; a guess would give the application a different request
 *
 * Spec: spec/engines.md
 */
import type { IncomingMessage } from "node:http";

const encoder = new TextEncoder();

/** The bytes of a body that the host has read, or undefined while it is unread. @throws Error naming the way out. */
export function hostedBody(req: IncomingMessage): Uint8Array | undefined {
  if (!isReadByHost(req)) return undefined;
  const raw: unknown = Reflect.get(req, "rawBody");
  if (isText(raw)) return bytesOf(raw);
  if (!hasBody(req)) return new Uint8Array();
  const body: unknown = Reflect.get(req, "body");
  if (isText(body)) return bytesOf(body);
  const json = /^[^;]*[/+]json\s*(?:;|$)/i.test(req.headers["content-type"] ?? "") ? JSON.stringify(body) : undefined;
  if (json !== undefined) return encoder.encode(json);
  throw new Error(
    "the host has read the body before app.listener() got the request, and what it kept cannot be turned back into " +
      "bytes: mount the listener before the host's body parser, or let the parser keep the bytes in req.rawBody",
  );
}

/** Has the host read the body? Then it was decoded, because hosts parse that way. */
export const isReadByHost = (req: IncomingMessage): boolean =>
  req.readableDidRead || req.readableEnded || isText(Reflect.get(req, "rawBody"));

const isText = (value: unknown): value is Uint8Array | string =>
  value instanceof Uint8Array || typeof value === "string";

const bytesOf = (value: Uint8Array | string): Uint8Array => (typeof value === "string" ? encoder.encode(value) : value);

/** Does that request have a body? */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
