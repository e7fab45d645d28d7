/**
 * The runtime, if it changes what is cheap: one of three that serve fetch with their own servers. On Node, and on any other,
 * there may be any server, or none.
 *
 * Spec: spec/engines.md
 */

/** `Bun`, `Deno`, `Cloudflare-Workers`, or undefined. */
export const runtime: string | undefined = /^(Bun|Deno|Cloudflare-Workers)\b/.exec(
  globalThis.navigator?.userAgent ?? "",
)?.[1];
