/** Servers that leave browsers careless. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";

const at = ({ sent }: Exchange, kind: string): boolean => sent.path === `/secured/${kind}`;
const POLICY = "Content-Security-Policy";
const edited = (exchange: Exchange, change: (policy: string) => string): Exchange =>
  editHeader(exchange, POLICY, change(headerOf(exchange.headers, POLICY) ?? ""));

/** The mutants of this chapter. */
export const securityHeaders = [
  breaks("types-are-guessed", ["SECHDR-001"], (exchange) =>
    at(exchange, "page") ? editHeader(exchange, "X-Content-Type-Options", undefined) : exchange,
  ),
  breaks("pages-load-from-everywhere", ["SECHDR-001"], (exchange) =>
    at(exchange, "page")
      ? edited(exchange, (policy) => policy.replace("default-src 'self'", "default-src *"))
      : exchange,
  ),
  breaks("https-is-spoken-of-over-http", ["SECHDR-002"], (exchange) =>
    at(exchange, "page") ? editHeader(exchange, "Strict-Transport-Security", "max-age=31536000") : exchange,
  ),
  breaks("requests-are-upgraded-over-http", ["SECHDR-002"], (exchange) =>
    at(exchange, "page") ? edited(exchange, (policy) => `${policy};upgrade-insecure-requests`) : exchange,
  ),
  breaks("errors-are-careless", ["SECHDR-003"], (exchange) =>
    at(exchange, "failed") ? editHeader(exchange, "X-Frame-Options", undefined) : exchange,
  ),
  breaks("errors-have-no-policy", ["SECHDR-003"], (exchange) =>
    at(exchange, "failed") ? editHeader(exchange, POLICY, undefined) : exchange,
  ),
  breaks("defaults-take-the-place-of-handlers", ["SECHDR-004"], (exchange) =>
    at(exchange, "own") ? editHeader(exchange, "X-Frame-Options", "SAMEORIGIN") : exchange,
  ),
  breaks("defaults-stand-beside-handlers", ["SECHDR-004"], (exchange) =>
    at(exchange, "own") ? { ...exchange, headers: [...exchange.headers, ["X-Frame-Options", "SAMEORIGIN"]] } : exchange,
  ),
  breaks("what-is-not-wanted-is-said", ["SECHDR-005"], (exchange) =>
    at(exchange, "bare") ? editHeader(exchange, "X-Frame-Options", "SAMEORIGIN") : exchange,
  ),
  breaks("nothing-is-left", ["SECHDR-005"], (exchange) =>
    at(exchange, "bare") ? editHeader(exchange, "Referrer-Policy", undefined) : exchange,
  ),
  breaks("nonces-are-the-same-for-all", ["SECHDR-006"], (exchange) =>
    at(exchange, "nonce")
      ? edited({ ...exchange, body: "AAAAAAAAAAAAAAAAAAAAAA==" }, (policy) =>
          policy.replace(/'nonce-[^']*'/, "'nonce-AAAAAAAAAAAAAAAAAAAAAA=='"),
        )
      : exchange,
  ),
  breaks("nonces-are-short", ["SECHDR-006"], (exchange) =>
    at(exchange, "nonce")
      ? edited({ ...exchange, body: exchange.body.slice(0, 8) }, (policy) =>
          policy.replace(/'nonce-([^']{8})[^']*'/, "'nonce-$1'"),
        )
      : exchange,
  ),
  breaks("nonces-are-not-the-handlers", ["SECHDR-006"], (exchange) =>
    at(exchange, "nonce") ? edited(exchange, (policy) => policy.replace("'nonce-", "'nonce-x")) : exchange,
  ),
  breaks("reports-block", ["SECHDR-008"], (exchange) =>
    at(exchange, "report") ? editHeader(exchange, POLICY, "default-src 'self'") : exchange,
  ),
  breaks("nothing-is-reported", ["SECHDR-008"], (exchange) =>
    at(exchange, "report") ? editHeader(exchange, `${POLICY}-Report-Only`, undefined) : exchange,
  ),
];
