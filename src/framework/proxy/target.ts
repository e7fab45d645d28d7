/**
 * Where a proxied request goes.
 *
 *   http://upstream              ──▶ the path and query that the client asked for
 *   http://upstream, /api taken  ──▶ the same path behind /api
 *   http://upstream/v2/users     ──▶ exactly there; with the client's query where the address has none
 */
import type { Context } from "../http/context.ts";
import { originForm } from "../http/target.ts";
import { usageError } from "../internal/usage-errors.ts";

/** An address, and the path with its query to ask there. */
export interface Target {
  readonly url: URL;
  readonly path: string;
}

/** @throws TypeError (`CONFIG_INVALID`) when it is no http or https address, or the request's path is not below the prefix. */
export function targetOf(ctx: Context, address: string | URL, prefix: string | undefined): Target {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw usageError(
      "CONFIG_INVALID",
      `proxy() got the address ${JSON.stringify(String(address))}: http://… or https://… is one`,
    );
  const hasPath = url.pathname !== "/";
  if (hasPath && prefix !== undefined)
    throw usageError(
      "CONFIG_INVALID",
      `proxy() got a prefix and the path ${url.pathname}: one of them says where to go`,
    );
  const sent = originForm(ctx.url); // Clients may send a whole URL (RFC 9112 §3.2.2).
  const path = hasPath ? url.pathname : pathBelow(sent, prefix ?? "");
  return { url, path: path + (url.search === "" ? ctx.search : url.search) };
}

/** A path as it was sent, without its first segments: encoded slashes in the others stay what they are. */
function pathBelow(path: string, prefix: string): string {
  const segments = prefix.split("/").filter((segment) => segment !== "");
  const [, ...sent] = path.startsWith("/") ? path.split("/") : ["", ""];
  const isBelow = segments.every((segment, at) => decoded(sent[at] ?? "") === segment);
  if (!isBelow)
    throw usageError(
      "CONFIG_INVALID",
      `proxy() got the prefix ${JSON.stringify(prefix)} for a request that is not below it`,
    );
  return `/${sent.slice(segments.length).join("/")}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
