/** Forms with parts that are lost, changed or trusted. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

const at = ({ sent }: Exchange, path = "/uploads"): boolean => sent.path === path;

/** Responds with that status to forms with a matching body. */
const responds =
  (status: number, to: (exchange: Exchange) => boolean): Rewrite =>
  (exchange) =>
    at(exchange) && to(exchange) ? { ...exchange, status } : exchange;

const isRejected = ({ status }: Exchange): boolean => status >= 400;
const has = ({ sent }: Exchange, text: string): boolean => sent.body.includes(text);
const isCut = ({ sent }: Exchange): boolean => !sent.body.endsWith("--\r\n");

/** The mutants of this chapter. */
export const multipart = [
  breaks(
    "other-types-are-forms",
    ["MULTI-003"],
    responds(200, ({ status }) => status === 415),
  ),
  breaks(
    "half-a-form-is-a-form",
    ["MULTI-004"],
    responds(200, (exchange) => isRejected(exchange) && isCut(exchange)),
  ),
  breaks(
    "forms-have-no-limits",
    ["MULTI-005"],
    responds(200, ({ status }) => status === 413),
  ),
  breaks(
    "names-of-parts-have-no-end",
    ["MULTI-006"],
    responds(200, (exchange) => isRejected(exchange) && has(exchange, "n".repeat(256))),
  ),
  breaks(
    "parts-need-no-disposition",
    ["MULTI-018"],
    responds(200, (exchange) => isRejected(exchange) && has(exchange, "value\r\n")),
  ),
];
