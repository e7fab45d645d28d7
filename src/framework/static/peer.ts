/**
 * The peer: `@fastify/send` knows media types.
 *
 * Files, ranges and conditions are handled here, so that the checked file is the one that is read, by the same rules as every
 * other response.
 *
 * Spec: spec/static.md
 */
import { ifMissing, missingPeer } from "../internal/peers.ts";

/** The used part of the package. */
interface Peer {
  readonly mime: { getType(path: string): string | null };
  isUtf8MimeType(type: string): boolean;
}

const peer = await import("@fastify/send").then((send) => send.default as unknown as Peer, ifMissing);

/** @throws Error with the install command. */
export function sendPeer(): Peer {
  if (peer !== undefined) return peer;
  throw missingPeer("framework/static", "@fastify/send");
}
