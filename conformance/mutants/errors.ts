/** Servers with wrong error responses. */
import { breaks, editObject, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const echo = (exchange: Exchange, status: number, body: RegExp): boolean =>
  exchange.sent.path === "/echo" &&
  codingOf(exchange) === undefined &&
  exchange.status === status &&
  body.test(exchange.sent.body);

const codingOf = ({ sent }: Exchange): string | undefined => headerOf(sent.headers, "content-encoding");

const ok = (exchange: Exchange): Exchange => ({ ...exchange, status: 200 });

/** The mutants of this chapter. */
export const errors = [
  breaks("unexpected-errors-show-their-message", ["ERR-002"], (exchange) =>
    exchange.sent.path === "/boom"
      ? editObject(exchange, (body) => ({ ...body, detail: "a secret of the server" }))
      : exchange,
  ),
  breaks("malformed-json-is-500", ["ERR-007"], (exchange) =>
    echo(exchange, 400, /^\{"a":$/) ? { ...exchange, status: 500 } : exchange,
  ),
  breaks("prototype-keys-pass", ["ERR-008"], (exchange) =>
    echo(exchange, 400, /__proto__/) ? ok(exchange) : exchange,
  ),
  breaks("any-text-is-read-as-json", ["ERR-009"], (exchange) =>
    echo(exchange, 415, /^\{\}$/) ? ok(exchange) : exchange,
  ),
  breaks("any-charset-is-rejected", ["ERR-032"], (exchange) =>
    echo(exchange, 200, /"charset"/) ? { ...exchange, status: 415 } : exchange,
  ),
  breaks("the-limit-is-one-less", ["ERR-011"], (exchange) =>
    exchange.sent.path === "/echo" && exchange.status === 200 && exchange.sent.body.length > 1_000_000
      ? { ...exchange, status: 413 }
      : exchange,
  ),
  breaks("large-bodies-are-not-decoded", ["ERR-024"], (exchange) =>
    codingOf(exchange) === "gzip" && exchange.body.length > 1_000_000 ? { ...exchange, status: 413 } : exchange,
  ),
];
