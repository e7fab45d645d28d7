/**
 * What a proxy says of the client. Read only when `trustProxy` is on: anybody can send these headers.
 *
 * The last entry counts, since the nearest proxy wrote it; entries before it may be the client's own invention.
 *
 * Spec: spec/context.md (CTX); RFC 7239
 */
import type { Exchange } from "./engine/exchange.ts";

/** The client's address as the nearest proxy saw it. */
export function forwardedFor(exchange: Exchange): string | undefined {
  const standard = forwarded(exchange, "for");
  if (standard !== undefined) return bareAddress(standard);
  const last = exchange.header("x-forwarded-for")?.split(",").at(-1)?.trim();
  return last === undefined || last === "" ? undefined : bareAddress(last);
}

/** `http` or `https`, as the client used it. */
export function forwardedProto(exchange: Exchange): string | undefined {
  const told = (
    forwarded(exchange, "proto") ?? exchange.header("x-forwarded-proto")?.split(",").at(-1)?.trim()
  )?.toLowerCase();
  return told === "http" || told === "https" ? told : undefined;
}

function forwarded(exchange: Exchange, name: string): string | undefined {
  const last = exchange.header("forwarded")?.split(",").at(-1);
  for (const pair of last?.split(";") ?? []) {
    const equals = pair.indexOf("=");
    if (equals < 0 || pair.slice(0, equals).trim().toLowerCase() !== name) continue;
    return pair
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, "$1");
  }
  return undefined;
}

/** Without brackets and port. */
function bareAddress(text: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(text)?.[1];
  if (bracketed !== undefined) return bracketed;
  return text.split(":").length === 2 ? text.slice(0, text.indexOf(":")) : text;
}
