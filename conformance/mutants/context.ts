/** Contexts that trust too much. */
import { breaks, editObject } from "../kit/mutant.ts";

/** The mutants of this chapter. */
export const context = [
  breaks("addresses-are-those-of-an-ipv6-socket", ["CTX-024", "SPAN-004"], (exchange) =>
    exchange.sent.path === "/__subject/evidence"
      ? editObject(exchange, (evidence) => ({
          ...evidence,
          logs: (evidence["logs"] as { readonly remoteAddress: string }[]).map((line) => ({
            ...line,
            remoteAddress: `::ffff:${line.remoteAddress}`,
          })),
        }))
      : exchange,
  ),
  breaks("proxy-headers-are-believed", ["CTX-011"], (exchange) =>
    exchange.sent.path === "/__subject/evidence"
      ? editObject(exchange, (evidence) => ({
          ...evidence,
          logs: (evidence["logs"] as { readonly path: string }[]).map((line, at, all) =>
            at > 0 && /^\/users\/[0-9a-f]{16}$/.test(line.path) && all[at - 1]?.path === line.path
              ? { ...line, remoteAddress: "203.0.113.9" }
              : line,
          ),
        }))
      : exchange,
  ),
];
