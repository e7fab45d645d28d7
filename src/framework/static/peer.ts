/**
 * The peer: `@fastify/send` reads files, and knows ranges and media types.
 *
 * It is asked for the bytes alone. What is conditional is decided before (internal/preconditions.ts), by the rules that
 * every other response follows.
 *
 * Spec: spec/static.md (STATIC)
 */
import type { Stats } from "node:fs";
import type { Readable } from "node:stream";
import { isNotFound, missingPeer } from "../internal/peers.ts";

/** What it is asked with: the part of a request that it looks at. */
interface SendRequest {
  readonly method: string;
  readonly headers: { readonly range?: string };
}

/** What it makes of a file. */
export interface Sent {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly stream: Readable;
  readonly type: "file" | "directory" | "error";
  readonly metadata: { readonly stat?: Stats };
}

type Send = (request: SendRequest, path: string, options: object) => Promise<Sent>;

/** The package, as far as it is used. */
interface Peer {
  readonly send: Send;
  readonly mime: { getType(path: string): string | null };
  isUtf8MimeType(type: string): boolean;
}

let peer: Peer | undefined;
try {
  peer = (await import("@fastify/send")).default as unknown as Peer;
} catch (error) {
  if (!isNotFound(error)) throw error;
}

/** @throws Error saying how to install it. */
export function sendPeer(): Peer {
  if (peer !== undefined) return peer;
  throw missingPeer("framework/static", "@fastify/send");
}
