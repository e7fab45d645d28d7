/** Servers with missing or wrong security headers. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader } from "../kit/mutant.ts";

const at = ({ sent }: Exchange, kind: string): boolean => sent.path === `/secured/${kind}`;

/** The mutants of this chapter. */
export const securityHeaders = [
  breaks("https-is-spoken-of-over-http", ["SECHDR-002"], (exchange) =>
    at(exchange, "page") ? editHeader(exchange, "Strict-Transport-Security", "max-age=31536000") : exchange,
  ),
];
