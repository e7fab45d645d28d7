/**
 * Which runtime this is, where it makes a difference what is cheap on it: one of three that serve fetch by servers of their
 * own. On Node, and on any other, there may be every server, or none.
 *
 * Spec: spec/engines.md
 */

/** `Bun`, `Deno`, `Cloudflare-Workers`, or undefined. */
export const runtime: string | undefined = /^(Bun|Deno|Cloudflare-Workers)\b/.exec(
  globalThis.navigator?.userAgent ?? "",
)?.[1];
