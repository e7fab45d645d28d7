/** Broken guards: they let requests in, or reject them with the wrong response. */
import type { RequirementId } from "../../spec/requirements.ts";
import { asHtml, graphPath, page } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

/** Rewrites the responses of devtools that `isIt` selects. */
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

/** A guard that lets in a request that it should reject. */
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

/** The page, for a case about its headers. */
const isHtmlPage = ({ sent }: Exchange): boolean =>
  sent.target === page && headerOf(sent.headers, "accept") === asHtml.accept;
const onGraph = ({ sent }: Exchange): boolean => sent.target === graphPath;

/** The mutants of this chapter. */
export const guard = [
  opens("guard-needs-no-host", ["GUARD-003"], (header) => header("host") === undefined),
  opens("guard-takes-short-addresses", ["GUARD-004"], (header) => header("host") === "127.1"),
  opens("guard-takes-the-null-origin", ["GUARD-006"], (header) => header("origin") === "null"),
  opens(
    "guard-takes-same-site",
    ["GUARD-007"],
    (header, exchange) => header("sec-fetch-site") === "same-site" && onGraph(exchange),
  ),
  opens("guard-does-not-know-via", ["GUARD-008"], (header) => header("via") !== undefined),
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
  spoils("guard-unsafe-inline", ["GUARD-012"], isHtmlPage, (exchange) =>
    editHeader(
      exchange,
      "content-security-policy",
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
    ),
  ),
  opens("guard-serves-http-1.0", ["GUARD-020"], (header) => header("user-agent") === "an old proxy"),
  spoils("guard-shares-the-window", ["GUARD-013"], isHtmlPage, without("cross-origin-opener-policy")),
];
