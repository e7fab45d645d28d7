/**
 * The peer: `@fastify/send` knows media types.
 *
 * Files, ranges and conditions are not left to it: what is checked here is what is read, by the rules that every other
 * response follows.
 *
 * Spec: spec/static.md
 */
import { ifMissing, missingPeer } from "../internal/peers.ts";

/** The package, as far as it is used. */
interface Peer {
  readonly mime: { getType(path: string): string | null };
  isUtf8MimeType(type: string): boolean;
}

const peer = await import("@fastify/send").then((send) => send.default as unknown as Peer, ifMissing);

/** @throws Error saying how to install it. */
export function sendPeer(): Peer {
  if (peer !== undefined) return peer;
  throw missingPeer("framework/static", "@fastify/send");
}
