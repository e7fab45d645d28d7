/** File servers that send too much or too little, or with wrong headers. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader } from "../kit/mutant.ts";

const at = ({ sent }: Exchange, path: string): boolean => sent.path === path;

/** The response for the file with this `body`. */
const file = (exchange: Exchange, body: string): Exchange =>
  editHeader({ ...exchange, status: 200, body }, "Content-Type", "text/plain");

/** The mutants of this chapter. */
export const staticFiles = [
  ...["/assets/%2e%2e%2fbeside.txt", "/assets/..%5cbeside.txt", "/assets/%252e%252e%252fbeside.txt"].map((path) =>
    breaks(`paths-lead-out-by-${path}`, ["STATIC-002"], (exchange) =>
      at(exchange, path) ? file(exchange, "hunter2-files") : exchange,
    ),
  ),
  ...["/assets/.env", "/assets/sub/.hidden", "/assets/hidden.txt"].map((path) =>
    breaks(`hidden-is-sent-at-${path}`, ["STATIC-003"], (exchange) =>
      at(exchange, path) ? file(exchange, "hunter2-files") : exchange,
    ),
  ),
  ...["/assets/out.txt", "/assets/up/beside.txt"].map((path) =>
    breaks(`links-lead-out-at-${path}`, ["STATIC-004"], (exchange) =>
      at(exchange, path) ? file(exchange, "hunter2-files") : exchange,
    ),
  ),
  breaks("files-hide-that-codings-matter", ["STATIC-019"], (exchange) =>
    at(exchange, "/assets/digits.txt") && exchange.status === 200 ? editHeader(exchange, "Vary", "Origin") : exchange,
  ),
];
