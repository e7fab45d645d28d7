/** Sessions that are forged, kept too long, lost or shown to others. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editObject, headerOf } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

const kindOf = ({ sent }: Exchange): string => /^\/sessions\/([^/]+)/.exec(sent.path)?.[1] ?? "";
const isOf = (exchange: Exchange, ...kinds: readonly string[]): boolean => kinds.includes(kindOf(exchange));
const cookieSent = ({ sent }: Exchange): string => headerOf(sent.headers, "cookie") ?? "";
const asks = ({ sent }: Exchange, method: string, end: string): boolean =>
  sent.method === method && sent.path.endsWith(end);

/** Gives somebody's session to requests of these kinds whose cookie leads to none. */
const taken =
  (name: string, when: (exchange: Exchange) => boolean): Rewrite =>
  (exchange) =>
    exchange.sent.method === "GET" && cookieSent(exchange) !== "" && when(exchange)
      ? editObject(exchange, (body) => (body["name"] === null ? { ...body, name } : body))
      : exchange;

const without = (header: string, when: (exchange: Exchange) => boolean): Rewrite => {
  return (exchange) => (when(exchange) ? editHeader(exchange, header, undefined) : exchange);
};

/** The mutants of this chapter. */
export const session = [
  breaks("everybody-has-a-session", ["SESSION-001"], (exchange) =>
    isOf(exchange, "sealed", "kept") && exchange.sent.method === "GET" && cookieSent(exchange) === ""
      ? editHeader(exchange, "Set-Cookie", "__Host-session=1; Path=/")
      : exchange,
  ),
  breaks("sessions-are-written-each-time", ["SESSION-003"], (exchange) =>
    isOf(exchange, "sealed", "kept") && asks(exchange, "GET", "/unasked") && cookieSent(exchange) !== ""
      ? editHeader(exchange, "Set-Cookie", `${cookieSent(exchange)}; Path=/`)
      : exchange,
  ),
  breaks(
    "made-up-ids-are-sessions",
    ["SESSION-004", "SESSION-033"],
    taken("somebody", (exchange) => /AAAAA|=x$/.test(cookieSent(exchange))),
  ),
  breaks("made-up-ids-are-taken-over", ["SESSION-033"], (exchange) =>
    exchange.sent.path.includes("/values/") && /A{43}\.0$/.test(cookieSent(exchange))
      ? editHeader(exchange, "Set-Cookie", `${cookieSent(exchange)}; Path=/`)
      : exchange,
  ),
  breaks("identities-stay", ["SESSION-005", "SESSION-010"], (exchange) =>
    isOf(exchange, "sealed", "kept", "brief") && asks(exchange, "POST", "/renewed")
      ? editHeader(exchange, "Set-Cookie", `${cookieSent(exchange)}; Path=/; Max-Age=60`)
      : exchange,
  ),
  breaks(
    "stores-keep-what-has-ended",
    ["SESSION-005", "SESSION-006", "SESSION-016"],
    taken("somebody", (exchange) => isOf(exchange, "kept") && !/AAAAA|=x$|=1\.$/.test(cookieSent(exchange))),
  ),
  breaks("cookies-stay-where-sessions-end", ["SESSION-006"], (exchange) =>
    asks(exchange, "POST", "/ended")
      ? editHeader(
          exchange,
          "Set-Cookie",
          headerOf(exchange.headers, "set-cookie")?.replace(/Max-Age=0; Expires=[^;]+; /, ""),
        )
      : exchange,
  ),
  breaks(
    "seals-hold-under-any-name",
    ["SESSION-007"],
    taken("somebody", (exchange) => isOf(exchange, "other")),
  ),
  breaks(
    "old-seals-stay",
    ["SESSION-008"],
    without("Set-Cookie", (exchange) => isOf(exchange, "rotated")),
  ),
  breaks(
    "sessions-never-end",
    ["SESSION-009", "SESSION-010"],
    taken("somebody", (exchange) => isOf(exchange, "brief")),
  ),
  breaks(
    "use-does-not-count",
    ["SESSION-009", "SESSION-010"],
    without("Set-Cookie", (exchange) => isOf(exchange, "brief") && exchange.sent.method === "GET"),
  ),
  breaks(
    "errors-lose-sessions",
    ["SESSION-011"],
    without("Set-Cookie", (exchange) => exchange.status === 409 && cookieSent(exchange) === ""),
  ),
  breaks("caches-keep-cookies", ["SESSION-012"], (exchange) =>
    kindOf(exchange) !== "" && headerOf(exchange.headers, "set-cookie") !== undefined
      ? editHeader(exchange, "Cache-Control", "max-age=60")
      : exchange,
  ),
  breaks(
    "caches-mix-clients",
    ["SESSION-034"],
    without("Vary", (exchange) => kindOf(exchange) !== "" && exchange.sent.method === "GET"),
  ),
  breaks("large-sessions-are-cut", ["SESSION-013"], (exchange) =>
    exchange.status === 500 && isOf(exchange, "sealed") ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("stores-that-fail-are-no-matter", ["SESSION-017"], (exchange) =>
    exchange.status === 503 && isOf(exchange, "failing") ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("stores-are-asked-for-nothing", ["SESSION-017"], (exchange) =>
    isOf(exchange, "silent") && cookieSent(exchange) === "" ? { ...exchange, status: 503 } : exchange,
  ),
  breaks("logouts-are-said-to-have-happened", ["SESSION-018"], (exchange) =>
    exchange.status === 503 && isOf(exchange, "lenient") ? { ...exchange, status: 200 } : exchange,
  ),
];
