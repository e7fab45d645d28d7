/**
 * Whether a web page may call: its `Origin` decides, since a browser sends the user's cookies and is inside the user's network.
 *
 *   no Origin: a program                          ──▶ yes
 *   one of the list                               ──▶ yes
 *   a page of this machine, to an app of it       ──▶ yes
 *   any other, also one with the app's own name   ──▶ no: a name can be pointed at another address (DNS rebinding)
 */
import type { Context } from "../http/context.ts";

const isLocal = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** May that page call? */
export function isOriginAllowed(ctx: Context, allowed: readonly string[]): boolean {
  const origin = ctx.header("origin");
  if (origin === undefined || allowed.includes(origin)) return true;
  return isLocal(hostnameOf(origin)) && isLocal(hostnameOf(`http://${ctx.header("host") ?? ""}`));
}

const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "");
