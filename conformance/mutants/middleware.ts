/** Chains that send a response too early, and prefixes that can be bypassed. */
import { breaks, editHeader } from "../kit/mutant.ts";

const withoutItOn = (name: string, kind: string) =>
  breaks(name, ["MW-007"], (exchange) =>
    exchange.sent.path === `/returns/${kind}` ? editHeader(exchange, "X-After", undefined) : exchange,
  );

/** The mutants of this chapter. */
export const middleware = [
  withoutItOn("headers-set-after-next-are-forgotten", "text"),
  breaks("values-are-decoded-twice", ["MW-012"], (exchange) =>
    exchange.sent.target === "/files/private%252Fa" && exchange.status === 200
      ? { ...exchange, body: '{"path":"private/a"}' }
      : exchange,
  ),
];
