/** Chains that send a response too early. */
import { breaks, editHeader } from "../kit/mutant.ts";

const withoutItOn = (name: string, kind: string) =>
  breaks(name, ["MW-007"], (exchange) =>
    exchange.sent.path === `/returns/${kind}` ? editHeader(exchange, "X-After", undefined) : exchange,
  );

/** The mutants of this chapter. */
export const middleware = [
  withoutItOn("a-stream-is-sent-before-the-chain-has-settled", "stream"),
  withoutItOn("a-response-is-sent-before-the-chain-has-settled", "response"),
  withoutItOn("events-are-sent-before-the-chain-has-settled", "events"),
  withoutItOn("headers-set-after-next-are-forgotten", "text"),
];
