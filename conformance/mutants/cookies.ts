/** Cookies that browsers lose, keep from nobody, or give back as something else. */
import { requestsPath } from "../kit/devtools.ts";
import { breaks, editObject } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

/** Changes the `Set-Cookie` lines of `/cookies`. */
const editLines =
  (change: (lines: readonly string[]) => readonly string[]): Rewrite =>
  (exchange) => {
    if (exchange.sent.path !== "/cookies") return exchange;
    const isCookie = ([name]: readonly [string, string]): boolean => name.toLowerCase() === "set-cookie";
    const others = exchange.headers.filter((line) => !isCookie(line));
    const lines = exchange.headers.filter(isCookie).map(([, value]) => value);
    return { ...exchange, headers: [...others, ...change(lines).map((line) => ["Set-Cookie", line] as const)] };
  };

/** The mutants of this chapter. */
export const cookies = [
  breaks(
    "cookies-are-folded-into-one-line",
    ["COOKIE-001"],
    editLines((lines) => [lines.join(", ")]),
  ),
  breaks(
    "the-last-cookie-replaces-the-others",
    ["COOKIE-001"],
    editLines((lines) => lines.slice(0, 1)),
  ),
  breaks(
    "the-first-line-holds-all-cookies",
    ["COOKIE-001"],
    editLines((lines) => [lines.join(", "), ...lines.slice(1)]),
  ),
  breaks(
    "the-first-cookie-is-sent-twice",
    ["COOKIE-001"],
    editLines((lines) => lines.map(() => lines[0] ?? "")),
  ),
  breaks(
    "cookies-are-not-sent",
    ["COOKIE-001", "COOKIE-002", "COOKIE-003"],
    editLines(() => []),
  ),
  ...["Secure", "HttpOnly", "SameSite=Lax", "Path=/"].map((attribute) =>
    breaks(
      `cookies-lack-${(attribute.split("=")[0] ?? "").toLowerCase()}`,
      ["COOKIE-002"],
      editLines((lines) => lines.map((line) => line.replace(`; ${attribute}`, ""))),
    ),
  ),
  breaks(
    "cookies-have-a-domain",
    ["COOKIE-002"],
    editLines((lines) => lines.map((line) => `${line}; Domain=localhost`)),
  ),
  breaks(
    "values-are-sent-as-they-are",
    ["COOKIE-003"],
    editLines((lines) => lines.map((line) => line.replace("sea%20green", "sea green"))),
  ),
  breaks("values-are-not-decoded", ["COOKIE-003"], (exchange) =>
    exchange.sent.path === "/cookies"
      ? editObject(exchange, (body) =>
          Object.fromEntries(Object.entries(body).map(([name, value]) => [name, encodeURIComponent(String(value))])),
        )
      : exchange,
  ),
  breaks("traces-name-cookies-by-their-values", ["TRACE-124"], (exchange) =>
    exchange.sent.path === requestsPath && exchange.body.includes("cookie-values")
      ? { ...exchange, body: exchange.body.replaceAll(/"theme",\s*"size"/g, '"dark-value"') }
      : exchange,
  ),
];
