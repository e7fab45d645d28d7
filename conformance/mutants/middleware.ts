/** Chains that send a response too early, and prefixes that can be walked round. */
import { breaks, editHeader } from "../kit/mutant.ts";

const withoutItOn = (name: string, kind: string) =>
  breaks(name, ["MW-007"], (exchange) =>
    exchange.sent.path === `/returns/${kind}` ? editHeader(exchange, "X-After", undefined) : exchange,
  );

const passing = (name: string, target: string) =>
  breaks(name, ["MW-012"], (exchange) =>
    exchange.sent.target === target ? { ...exchange, status: 200, body: '{"path":"private/a"}' } : exchange,
  );

const rejecting = (name: string, target: string) =>
  breaks(name, ["MW-012"], (exchange) =>
    exchange.sent.target === target ? { ...exchange, status: 403, body: '{"status":403}' } : exchange,
  );

/** The mutants of this chapter. */
export const middleware = [
  withoutItOn("a-stream-is-sent-before-the-chain-has-settled", "stream"),
  withoutItOn("a-response-is-sent-before-the-chain-has-settled", "response"),
  withoutItOn("events-are-sent-before-the-chain-has-settled", "events"),
  withoutItOn("headers-set-after-next-are-forgotten", "text"),
  passing("an-encoded-slash-walks-round-a-prefix", "/files/private%2Fa"),
  passing("an-encoded-backslash-walks-round-a-prefix", "/files/private%5ca"),
  passing("an-encoded-letter-walks-round-a-prefix", "/files/%70rivate/a"),
  passing("two-slashes-walk-round-a-prefix", "/files/private//a"),
  breaks("values-are-decoded-twice", ["MW-012"], (exchange) =>
    exchange.sent.target === "/files/private%252Fa" && exchange.status === 200
      ? { ...exchange, body: '{"path":"private/a"}' }
      : exchange,
  ),
  rejecting("prefixes-are-compared-by-letters", "/files/privateer"),
  rejecting("prefixes-are-compared-decoded-twice", "/files/private%252Fa"),
];
