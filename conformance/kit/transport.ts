/**
 * The transport of a probe: one request, one response that may still be arriving. HTTP/1.1 opens a connection for each
 * request, so that no case depends on another's. HTTP/2 speaks with prior knowledge to an `http:` base, and by ALPN to an
 * `https:` one.
 */
import { request as http1Request, type OutgoingHttpHeaders, type RequestOptions } from "node:http";
import { connect as http2Connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import type { Readable } from "node:stream";
import { pairs, type HeaderLines } from "./response.ts";

/** The request to send. */
export interface Outgoing {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderLines;
  readonly body: string | Buffer | undefined;
}

/** A response's head, its body as a stream, and a way to close the connection. */
export interface Incoming {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Readable;
  close(): void;
}

/** How to open a connection. */
export interface Opening {
  /** Aborts it. */
  readonly signal: AbortSignal;
  /** Accepts an untrusted certificate. Has no effect without TLS. */
  readonly insecure: boolean;
}

/** Sends one request to `base`. Rejects if no response comes. */
export type Transport = (base: URL, outgoing: Outgoing, opening: Opening) => Promise<Incoming>;

/** Limit for each response and stream. No promise needs more, and an endless one would fill the memory. */
export const mostBytes = 33_554_432;

/** HTTP/1.1, a connection for each request. */
export const http1: Transport = (base, { method, target, headers, body }, { signal, insecure }) =>
  new Promise((resolve, reject) => {
    const to: RequestOptions = { ...address(base), agent: false, method, path: target, signal };
    const request =
      base.protocol === "https:" ? httpsRequest({ ...to, ...tlsOptions(base, insecure) }) : http1Request(to);
    request.on("response", (response) =>
      resolve({
        status: response.statusCode ?? 0,
        headers: pairs(response.rawHeaders),
        body: response,
        close: () => request.destroy(),
      }),
    );
    request.on("error", (error) => reject(explained(error)));
    for (const [name, values] of grouped(headers)) request.setHeader(name, values);
    if (body !== undefined && !grouped(headers).has("transfer-encoding")) {
      request.setHeader("Content-Length", Buffer.byteLength(body));
    }
    request.end(body);
  });

/** HTTP/2, a session for each request. */
export const http2: Transport = (base, { method, target, headers, body }, { signal, insecure }) =>
  new Promise((resolve, reject) => {
    const session = http2Connect(base, base.protocol === "https:" ? tlsOptions(base, insecure) : {});
    const close = (): void => session.destroy();
    session.on("error", (error) => reject(explained(error)));
    const fields: OutgoingHttpHeaders = { ":method": method, ":path": target };
    for (const [name, values] of grouped(headers)) fields[name === "host" ? ":authority" : name] = oneOrMany(values);
    const stream = session.request(fields, { endStream: body === undefined, signal });
    stream.on("error", (error) => {
      close();
      reject(explained(error));
    });
    stream.on("response", (fields, _flags, raw?: string[]) => {
      const lines = pairs(raw ?? []).filter(([name]) => !name.startsWith(":"));
      resolve({ status: fields[":status"] ?? 0, headers: lines, body: stream, close });
    });
    stream.on("close", close);
    if (body !== undefined) stream.end(body);
  });

/** The host and port of a base. */
export function address(base: URL): { readonly host: string; readonly port: number } {
  return {
    host: base.hostname.replaceAll(/[[\]]/g, ""),
    port: Number(base.port || (base.protocol === "https:" ? 443 : 80)),
  };
}

/** The TLS options for a server: its own name, with any Host that a case sends. */
export function tlsOptions(
  base: URL,
  insecure: boolean,
): { readonly servername: string; readonly rejectUnauthorized: boolean } {
  const { host } = address(base);
  return { servername: isIP(host) === 0 ? host : "", rejectUnauthorized: !insecure };
}

/** A rejected certificate is not a fault of the app, so the message says what to do. */
function explained(error: NodeJS.ErrnoException): Error {
  const unknown = ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"];
  const codes = [error, error.cause].map((one) => (one as NodeJS.ErrnoException | undefined)?.code ?? "");
  if (!codes.some((code) => unknown.includes(code))) return error;
  return new Error("its certificate comes from no trusted authority; --insecure accepts it all the same", {
    cause: error,
  });
}

function grouped(headers: HeaderLines): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), value]);
  }
  return found;
}

function oneOrMany(values: readonly string[]): string | string[] {
  return values.length === 1 ? (values[0] ?? "") : [...values];
}
