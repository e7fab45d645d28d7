/** Servers that fail badly. */
import { breaks, editHeader, editObject, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const echo = (exchange: Exchange, status: number, body: RegExp): boolean =>
  exchange.sent.path === "/echo" &&
  codingOf(exchange) === undefined &&
  exchange.status === status &&
  body.test(exchange.sent.body);

const codingOf = ({ sent }: Exchange): string | undefined => headerOf(sent.headers, "content-encoding");

const typeOf = ({ sent }: Exchange): string | undefined => headerOf(sent.headers, "content-type");

const ok = (exchange: Exchange): Exchange => ({ ...exchange, status: 200 });

/** The mutants of this chapter. */
export const errors = [
  breaks("errors-are-plain-json", ["ERR-001"], (exchange) =>
    exchange.sent.target === "/slow/never" ? editHeader(exchange, "Content-Type", "application/json") : exchange,
  ),
  breaks("errors-repeat-another-status", ["ERR-001"], (exchange) =>
    exchange.sent.target === "/fail/418" ? editObject(exchange, (body) => ({ ...body, status: 500 })) : exchange,
  ),
  breaks("problems-have-no-title", ["ERR-001", "ERR-030"], (exchange) =>
    exchange.sent.target === "/slow/never" ? editObject(exchange, ({ title: _, ...body }) => body) : exchange,
  ),
  breaks("unexpected-errors-show-their-message", ["ERR-002"], (exchange) =>
    exchange.sent.path === "/boom"
      ? editObject(exchange, (body) => ({ ...body, detail: "a secret of the server" }))
      : exchange,
  ),
  breaks("errors-lose-their-headers", ["ERR-004"], (exchange) =>
    exchange.sent.target === "/fail/402" ? editHeader(exchange, "X-Failed", undefined) : exchange,
  ),
  breaks("errors-hide-their-message", ["ERR-004"], (exchange) =>
    exchange.sent.target === "/fail/503" ? editObject(exchange, ({ detail: _, ...body }) => body) : exchange,
  ),
  breaks("malformed-json-is-500", ["ERR-007"], (exchange) =>
    echo(exchange, 400, /^\{"a":$/) ? { ...exchange, status: 500 } : exchange,
  ),
  breaks("invalid-utf-8-is-replaced", ["ERR-007"], (exchange) =>
    echo(exchange, 400, /\uFFFD/) ? ok(exchange) : exchange,
  ),
  breaks("an-empty-body-is-undefined", ["ERR-007"], (exchange) =>
    echo(exchange, 400, /^$/) ? ok(exchange) : exchange,
  ),
  breaks("prototype-keys-pass", ["ERR-008"], (exchange) =>
    echo(exchange, 400, /__proto__/) ? ok(exchange) : exchange,
  ),
  breaks("constructor-prototype-passes", ["ERR-008"], (exchange) =>
    echo(exchange, 400, /"constructor":\{"prototype"/) ? ok(exchange) : exchange,
  ),
  breaks("the-word-constructor-is-rejected", ["ERR-008"], (exchange) =>
    echo(exchange, 200, /Ferrari/) ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("any-text-is-read-as-json", ["ERR-009"], (exchange) =>
    echo(exchange, 415, /^\{\}$/) ? ok(exchange) : exchange,
  ),
  breaks("only-application-json-is-json", ["ERR-009"], (exchange) =>
    echo(exchange, 200, /^\{\}$/) ? { ...exchange, status: 415 } : exchange,
  ),
  breaks("a-charset-is-not-looked-at", ["ERR-032"], (exchange) =>
    echo(exchange, 415, /"charset"/) ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("any-charset-is-rejected", ["ERR-032"], (exchange) =>
    echo(exchange, 200, /"charset"/) ? { ...exchange, status: 415 } : exchange,
  ),
  breaks("rejected-bodies-are-400", ["ERR-001", "ERR-010"], (exchange) =>
    exchange.sent.path === "/orders" && exchange.status === 422 ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("rejected-bodies-come-without-issues", ["ERR-010"], (exchange) =>
    exchange.sent.path === "/orders" && exchange.sent.body === '{"item":1}'
      ? editObject(exchange, ({ errors: _, ...body }) => body)
      : exchange,
  ),
  breaks("announced-bodies-are-awaited", ["ERR-011"], (exchange) =>
    exchange.sent.path === "/echo" && exchange.status === 413 && exchange.sent.body === ""
      ? { ...exchange, status: 400 }
      : exchange,
  ),
  breaks("the-limit-is-one-less", ["ERR-011"], (exchange) =>
    exchange.sent.path === "/echo" && exchange.status === 200 && exchange.sent.body.length > 1_000_000
      ? { ...exchange, status: 413 }
      : exchange,
  ),
  breaks("chunked-bodies-know-no-limit", ["ERR-011"], (exchange) =>
    echo(exchange, 413, /./) ? ok(exchange) : exchange,
  ),
  breaks("coded-bodies-are-read-as-they-come", ["ERR-023"], (exchange) =>
    exchange.status === 200 && exchange.body.includes('"coding":"gzip"') ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("deflate-is-not-decoded", ["ERR-023"], (exchange) =>
    exchange.status === 200 && exchange.body.includes('"coding":"Deflate"') ? { ...exchange, status: 415 } : exchange,
  ),
  breaks("text-stays-coded", ["ERR-023"], (exchange) =>
    exchange.sent.path === "/lookup" && codingOf(exchange) === "gzip"
      ? editObject(exchange, (found) => ({ ...found, text: "coded" }))
      : exchange,
  ),
  breaks("the-limit-counts-what-was-sent", ["ERR-024"], (exchange) =>
    codingOf(exchange) === "gzip" && exchange.status === 413 ? ok(exchange) : exchange,
  ),
  breaks("large-bodies-are-not-decoded", ["ERR-024"], (exchange) =>
    codingOf(exchange) === "gzip" && exchange.body.length > 1_000_000 ? { ...exchange, status: 413 } : exchange,
  ),
  breaks("half-a-body-is-a-whole-one", ["ERR-025"], (exchange) =>
    codingOf(exchange) === "gzip" && exchange.status === 400 ? ok(exchange) : exchange,
  ),
  breaks("damaged-bodies-are-500", ["ERR-025"], (exchange) =>
    codingOf(exchange) === "gzip" && exchange.status === 400 ? { ...exchange, status: 500 } : exchange,
  ),
  breaks("the-first-content-type-counts", ["ERR-026"], (exchange) =>
    typeOf(exchange) === "application/json, text/plain" ? ok(exchange) : exchange,
  ),
  breaks("the-last-content-type-counts", ["ERR-026"], (exchange) =>
    typeOf(exchange) === "text/plain, application/json" ? ok(exchange) : exchange,
  ),
  breaks("content-types-that-agree-are-two", ["ERR-026"], (exchange) =>
    typeOf(exchange) === "application/json, application/json" ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("unknown-codings-are-passed-over", ["ERR-027"], (exchange) =>
    codingOf(exchange) === "compress" ? ok(exchange) : exchange,
  ),
  breaks("codings-are-not-listed", ["ERR-027"], (exchange) =>
    codingOf(exchange) === "gzip, gzip" ? editHeader(exchange, "Accept-Encoding", undefined) : exchange,
  ),
  breaks("long-targets-pass", ["ERR-012"], (exchange) => (exchange.status === 414 ? ok(exchange) : exchange)),
  breaks("targets-of-8000-characters-are-rejected", ["ERR-012"], (exchange) =>
    exchange.status === 200 && exchange.sent.target.length > 8_000 ? { ...exchange, status: 414 } : exchange,
  ),
  breaks("large-heads-are-400", ["ERR-012"], (exchange) =>
    exchange.status === 431 ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("a-failed-stream-ends-as-if-it-were-whole", ["ERR-013"], (exchange) => {
    const { sent, status, headers, body } = exchange;
    return sent.path === "/cut" ? { sent, status, headers, body } : exchange;
  }),
  breaks("returned-errors-are-sent-as-json", ["ERR-021"], (exchange) =>
    exchange.sent.path === "/returns/error" ? ok(exchange) : exchange,
  ),
  breaks("returned-errors-are-plain-json", ["ERR-021", "ERR-001"], (exchange) =>
    exchange.sent.path === "/returns/error" ? editHeader(exchange, "Content-Type", "application/json") : exchange,
  ),
  breaks("returned-errors-are-internal", ["ERR-021"], (exchange) =>
    exchange.sent.path === "/returns/error" ? editObject(exchange, ({ detail: _, ...body }) => body) : exchange,
  ),
  breaks("a-failed-stream-was-never-begun", ["ERR-013"], (exchange) =>
    exchange.sent.path === "/cut" ? { ...exchange, status: 500 } : exchange,
  ),
];
