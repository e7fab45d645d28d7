/**
 * How a probe talks: one request, one answer that may still be coming. HTTP/1.1 opens a connection for
 * each request, so that no case depends on another's; HTTP/2 speaks with prior knowledge (h2c).
 */
import { request as http1Request, type OutgoingHttpHeaders } from "node:http";
import { connect as http2Connect } from "node:http2";
import type { Readable } from "node:stream";
import { pairs, type HeaderLines } from "./answer.ts";

/** What to send. */
export interface Outgoing {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderLines;
  readonly body: string | Buffer | undefined;
}

/** An answer's head, its body as it comes, and a way to let go of the connection. */
export interface Incoming {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Readable;
  close(): void;
}

/** Sends one request to `base`; rejects when no answer comes; `signal` gives it up. */
export type Transport = (base: URL, outgoing: Outgoing, signal: AbortSignal) => Promise<Incoming>;

/** HTTP/1.1, a connection for each request. */
export const http1: Transport = (base, { method, target, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const request = http1Request(
      {
        host: base.hostname.replaceAll(/[[\]]/g, ""),
        port: base.port || 80,
        agent: false,
        method,
        path: target,
        signal,
      },
      (response) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: pairs(response.rawHeaders),
          body: response,
          close: () => request.destroy(),
        }),
    );
    request.on("error", reject);
    for (const [name, values] of grouped(headers)) request.setHeader(name, values);
    if (body !== undefined && !grouped(headers).has("transfer-encoding")) {
      request.setHeader("Content-Length", Buffer.byteLength(body));
    }
    request.end(body);
  });

/** HTTP/2 with prior knowledge, a session for each request. */
export const http2: Transport = (base, { method, target, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const session = http2Connect(base);
    const close = (): void => session.destroy();
    session.on("error", reject);
    const fields: OutgoingHttpHeaders = { ":method": method, ":path": target };
    for (const [name, values] of grouped(headers)) fields[name === "host" ? ":authority" : name] = oneOrMany(values);
    const stream = session.request(fields, { endStream: body === undefined, signal });
    stream.on("error", (error) => {
      close();
      reject(error);
    });
    stream.on("response", (fields, _flags, raw?: string[]) => {
      const lines = pairs(raw ?? []).filter(([name]) => !name.startsWith(":"));
      resolve({ status: fields[":status"] ?? 0, headers: lines, body: stream, close });
    });
    stream.on("close", close);
    if (body !== undefined) stream.end(body);
  });

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
