/**
 * The target of a proxied request.
 *
 *   http://upstream              ──▶ the path and query of the client's request
 *   http://upstream, /api taken  ──▶ the same path after /api
 *   http://upstream/v2/users     ──▶ exactly there, with the client's query if the address has none
 */
import type { Context } from "../http/context.ts";
import { originForm } from "../http/target.ts";
import { usageError } from "../internal/usage-errors.ts";

/** An address, and the path with its query to request. */
export interface Target {
  readonly url: URL;
  readonly path: string;
}

/**
 * @throws TypeError (`CONFIG_INVALID`) when it is not an http or https address, or the request's path is not under the prefix.
 */
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
  const sent = originForm(ctx.url); // Clients may send an absolute URL (RFC 9112 §3.2.2).
  const path = hasPath ? url.pathname : pathBelow(sent, prefix ?? "");
  return { url, path: path + (url.search === "" ? ctx.search : url.search) };
}

/** A path as it was sent, without its first segments. Encoded slashes in the others stay encoded. */
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
