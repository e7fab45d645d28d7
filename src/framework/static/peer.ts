/**
 * The peer: `@fastify/send` knows media types.
 *
 * Files, ranges and conditions are handled here, so that the checked file is the one that is read, by the same rules as every
 * other response.
 *
 * Spec: spec/static.md
 */
import send from "@fastify/send";

/** The used part of the package. */
interface Peer {
  readonly mime: { getType(path: string): string | null };
  isUtf8MimeType(type: string): boolean;
}

/** The package, by the part that is used. */
export const peer: Peer = send;
