/** Sessions that are forged, kept too long, lost or shown to others. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

const kindOf = ({ sent }: Exchange): string => /^\/sessions\/([^/]+)/.exec(sent.path)?.[1] ?? "";

const without = (header: string, when: (exchange: Exchange) => boolean): Rewrite => {
  return (exchange) => (when(exchange) ? editHeader(exchange, header, undefined) : exchange);
};

/** The mutants of this chapter. */
export const session = [
  breaks("caches-keep-cookies", ["SESSION-012"], (exchange) =>
    kindOf(exchange) !== "" && headerOf(exchange.headers, "set-cookie") !== undefined
      ? editHeader(exchange, "Cache-Control", "max-age=60")
      : exchange,
  ),
  breaks(
    "caches-mix-clients",
    ["SESSION-034", "CORS-006"],
    without("Vary", (exchange) => kindOf(exchange) !== "" && exchange.sent.method === "GET"),
  ),
];
