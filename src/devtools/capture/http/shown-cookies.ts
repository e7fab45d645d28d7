/**
 * Shown cookies of a request and its response, without their values, which are secrets.
 *
 *   Cookie: sid=x; theme=dark            ──▶ ["sid", "theme"]
 *   Set-Cookie: sid=y; Path=/; HttpOnly  ──▶ { name: "sid", attributes: ["Path=/", "HttpOnly"] }
 *
 * Spec: spec/trace.md
 */
import type { SetCookie } from "../../run/shapes.ts";
import { MAX_COOKIES } from "../../run/wire.ts";
import type { Snapshotter } from "../snapshot.ts";

/** Attributes of a cookie that are shown. Nine are defined. */
const maxAttributes = 20;

/**
 * The names of a request's cookies, each once, or undefined without cookies.
 *
 * @param headers flat list of names, in lower case, and values
 */
export function sentCookies(headers: readonly string[], snapshots: Snapshotter): readonly string[] | undefined {
  const names = new Set<string>();
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (headers[at] !== "cookie") continue;
    for (const pair of (headers[at + 1] ?? "").split(";", MAX_COOKIES * 2)) {
      const name = nameOf(pair);
      if (name !== "" && names.size < MAX_COOKIES) names.add(snapshots.text(name));
    }
  }
  return names.size === 0 ? undefined : [...names];
}

/** The cookies that a response sets, or undefined if it sets none. @param headers flat list of names and values */
export function setCookies(headers: readonly string[], snapshots: Snapshotter): readonly SetCookie[] | undefined {
  const cookies: SetCookie[] = [];
  for (let at = 0; at + 1 < headers.length && cookies.length < MAX_COOKIES; at += 2) {
    if (headers[at]?.toLowerCase() !== "set-cookie") continue;
    const [pair = "", ...attributes] = (headers[at + 1] ?? "").split(";", maxAttributes + 1);
    cookies.push({
      name: snapshots.text(nameOf(pair)),
      attributes: attributes.flatMap((one) => (one.trim() === "" ? [] : [snapshots.text(one.trim())])),
    });
  }
  return cookies.length === 0 ? undefined : cookies;
}

/** The text before the `=`. A pair without one is a value without a name (RFC 6265bis §5.6), so nothing of it is shown. */
const nameOf = (pair: string): string => (pair.includes("=") ? pair.slice(0, pair.indexOf("=")).trim() : "");
