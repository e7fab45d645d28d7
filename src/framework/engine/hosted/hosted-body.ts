/**
 * What a host has left of a request's body.
 *
 *   nothing read yet ──▶ undefined: read the stream
 *   rawBody, or a body of bytes or text ──▶ these bytes
 *   a body parsed from JSON ──▶ its JSON again
 *   anything else ──▶ an error that says what to do; a guess would hand the application another request
 *
 * Spec: spec/engines.md
 */
import type { IncomingMessage } from "node:http";

const encoder = new TextEncoder();

/** The bytes of a body that the host has read; undefined while it is still to be read. @throws Error naming the way out. */
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

/** Has the host read the body? What it has kept then is without its Content-Encoding: that is how hosts parse. */
export const isReadByHost = (req: IncomingMessage): boolean =>
  req.readableDidRead || req.readableEnded || isText(Reflect.get(req, "rawBody"));

const isText = (value: unknown): value is Uint8Array | string =>
  value instanceof Uint8Array || typeof value === "string";

const bytesOf = (value: Uint8Array | string): Uint8Array => (typeof value === "string" ? encoder.encode(value) : value);

/** Does that request have a body? */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
