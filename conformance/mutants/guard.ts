/** Broken guards: doors that stand open, and rejections that say the wrong thing. */
import type { RequirementId } from "../../spec/requirements.ts";
import { asHtml, graphPath, page, streamPath } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

/** Rewrites the responses of devtools that `isIt` picks. */
function spoils(
  name: string,
  kills: readonly RequirementId[],
  isIt: (exchange: Exchange, header: (name: string) => string | undefined) => boolean,
  change: Rewrite,
): Mutant {
  return breaks(name, kills, (exchange) => {
    const { path, headers } = exchange.sent;
    const isDevtools = path.includes(page);
    return isDevtools && isIt(exchange, (header) => headerOf(headers, header)) ? change(exchange) : exchange;
  });
}

/** A door that lets in what it should reject. */
function opens(
  name: string,
  kills: readonly RequirementId[],
  isIt: (header: (name: string) => string | undefined, exchange: Exchange) => boolean,
): Mutant {
  return spoils(
    name,
    kills,
    (exchange, header) => exchange.status >= 400 && exchange.sent.method === "GET" && isIt(header, exchange),
    (exchange) => ({ ...exchange, status: 200 }),
  );
}

const without =
  (name: string): Rewrite =>
  (exchange) =>
    editHeader(exchange, name, undefined);

/** The page for a case that is about its headers. */
const isHtmlPage = ({ sent }: Exchange): boolean =>
  sent.target === page && headerOf(sent.headers, "accept") === asHtml.accept;
const onGraph = ({ sent }: Exchange): boolean => sent.target === graphPath;

/** The mutants of this chapter. */
export const guard = [
  spoils(
    "guard-believes-the-claimed-address",
    ["GUARD-002"],
    (_, header) => /203\.0\.113\.9/.test(header("x-forwarded-for") ?? ""),
    (exchange) => ({ ...exchange, status: 404, body: "" }),
  ),
  opens("guard-needs-no-host", ["GUARD-003"], (header) => header("host") === undefined),
  opens("guard-reads-the-first-host", ["GUARD-003"], (header) => header("host") === "localhost, localhost"),
  opens("guard-takes-hosts-that-end-alike", ["GUARD-004"], (header) => header("host") === "evillocalhost"),
  opens("guard-takes-hosts-that-begin-alike", ["GUARD-004"], (header) => header("host") === "127.0.0.1.evil.test"),
  opens("guard-takes-short-addresses", ["GUARD-004"], (header) => header("host") === "127.1"),
  spoils(
    "guard-knows-one-loopback-address",
    ["GUARD-004"],
    (_, header) => header("host") === "127.255.0.9:65535",
    (exchange) => ({ ...exchange, status: 403 }),
  ),
  opens("guard-takes-the-null-origin", ["GUARD-006"], (header) => header("origin") === "null"),
  opens("guard-ignores-the-origins-port", ["GUARD-006"], (header) => header("origin") === "http://localhost:8081"),
  opens(
    "guard-takes-same-site",
    ["GUARD-007"],
    (header, exchange) => header("sec-fetch-site") === "same-site" && onGraph(exchange),
  ),
  opens(
    "guard-lets-frames-show-the-page",
    ["GUARD-007"],
    (header, { sent }) => header("sec-fetch-dest") === "iframe" && sent.path === page,
  ),
  opens("guard-does-not-know-via", ["GUARD-008"], (header) => header("via") !== undefined),
  opens("guard-does-not-know-real-ip", ["GUARD-008"], (header) => header("x-real-ip") === "127.0.0.1"),
  spoils(
    "guard-rejects-without-a-reason",
    ["GUARD-009"],
    ({ sent, status }, header) => status === 403 && header("host") === "evil.test" && sent.target.endsWith("?why"),
    (exchange) => ({ ...exchange, body: "no" }),
  ),
  spoils(
    "guard-rejects-in-json",
    ["GUARD-009"],
    ({ sent }, header) => header("origin") === "http://evil.test" && sent.target.endsWith("?why"),
    (exchange) => editHeader(exchange, "content-type", "application/json"),
  ),
  spoils(
    "guard-lets-cors-respond",
    ["GUARD-010"],
    (_, header) => header("origin") === "https://app.example",
    (exchange) => editHeader(exchange, "access-control-allow-origin", "https://app.example"),
  ),
  spoils(
    "guard-lets-everyone-read",
    ["GUARD-010"],
    (exchange, header) => onGraph(exchange) && header("origin") === "http://localhost",
    (exchange) => editHeader(exchange, "Access-Control-Allow-Origin", "*"),
  ),
  spoils("guard-caches-the-page", ["GUARD-011"], isHtmlPage, without("cache-control")),
  spoils("guard-frames-a-rejection", ["GUARD-011"], ({ status }) => status === 403, without("x-frame-options")),
  spoils("guard-sniffs-the-unknown", ["GUARD-011"], ({ status }) => status === 404, without("x-content-type-options")),
  spoils(
    "guard-shares-the-wrong-method",
    ["GUARD-011"],
    ({ status }) => status === 405,
    without("cross-origin-resource-policy"),
  ),
  spoils(
    "guard-refers-from-the-stream",
    ["GUARD-011"],
    ({ sent }) => sent.target === `${streamPath}?about=guard`,
    without("referrer-policy"),
  ),
  spoils("guard-unsafe-inline", ["GUARD-012"], isHtmlPage, (exchange) =>
    editHeader(
      exchange,
      "content-security-policy",
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
    ),
  ),
  spoils("guard-talks-to-anyone", ["GUARD-012"], isHtmlPage, (exchange) => {
    const policy = headerOf(exchange.headers, "content-security-policy") ?? "";
    return editHeader(exchange, "content-security-policy", policy.replace("connect-src 'self'", "connect-src *"));
  }),
  opens("guard-serves-http-1.0", ["GUARD-020"], (header) => header("user-agent") === "an old proxy"),
  spoils("guard-shares-the-window", ["GUARD-013"], isHtmlPage, without("cross-origin-opener-policy")),
];
