/** Routers that lose their way. */
import { breaks, editHeader, editObject, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const at = (target: string, { sent, status }: Exchange, wanted = 200): boolean =>
  sent.target === target && status === wanted;

const isPlainOptions = (exchange: Exchange): boolean =>
  exchange.sent.method === "OPTIONS" &&
  at("/search", exchange, 204) &&
  headerOf(exchange.sent.headers, "origin") === undefined;

const notFound = (exchange: Exchange): Exchange => ({ ...exchange, status: 404 });

/** The hosts that a request of ROUTE-014 came with. */
const hosts = ({ sent }: Exchange): string | undefined =>
  sent.path === "/users/hosts" ? headerOf(sent.headers, "host") : "another request";

/** Is it a request of ROUTE-020 to that host? */
const askedOf = (host: string, { sent }: Exchange): boolean =>
  sent.path === "/users/host" && headerOf(sent.headers, "host") === host;

const allowed = (exchange: Exchange): Exchange => ({ ...exchange, status: 200 });

/** The mutants of this chapter. */
export const routing = [
  breaks("the-first-registered-route-wins", ["ROUTE-032"], (exchange) =>
    at("/match/b/y", exchange) ? editObject(exchange, () => ({ matched: "/match/*rest" })) : exchange,
  ),
  breaks("a-literal-that-is-a-dead-end-is-404", ["ROUTE-033"], (exchange) =>
    at("/match/a/y", exchange) ? editObject(notFound(exchange), () => ({ status: 404 })) : exchange,
  ),
  breaks("a-dead-end-leads-to-the-wildcard-at-once", ["ROUTE-033"], (exchange) =>
    at("/match/a/y", exchange) ? editObject(exchange, () => ({ matched: "/match/*rest" })) : exchange,
  ),
  breaks("a-parameter-beats-a-literal", ["ROUTE-001"], (exchange) =>
    at("/match/c/y", exchange) ? editObject(exchange, () => ({ matched: "/match/{name}/y" })) : exchange,
  ),
  breaks("a-wildcard-beats-a-literal", ["ROUTE-001"], (exchange) =>
    at("/match/a/x", exchange) ? editObject(exchange, () => ({ matched: "/match/*rest" })) : exchange,
  ),
  breaks("routes-are-reported-in-other-words", ["ROUTE-001"], (exchange) =>
    at("/match/a/x", exchange) ? editObject(exchange, () => ({ matched: "a/x" })) : exchange,
  ),
  breaks("parameters-stay-encoded", ["ROUTE-002"], (exchange) =>
    at("/users/caf%C3%A9", exchange) ? editObject(exchange, () => ({ id: "caf%C3%A9" })) : exchange,
  ),
  breaks("parameters-are-decoded-twice", ["ROUTE-002"], (exchange) =>
    at("/users/a%252Fb", exchange) ? editObject(exchange, () => ({ id: "a/b" })) : exchange,
  ),
  breaks("plus-becomes-a-space-in-paths", ["ROUTE-002"], (exchange) =>
    at("/users/a+b%20c", exchange) ? editObject(exchange, () => ({ id: "a b c" })) : exchange,
  ),
  breaks("the-rest-stays-encoded", ["ROUTE-002"], (exchange) =>
    at("/files/a%20b/c", exchange) ? editObject(exchange, () => ({ path: "a%20b/c" })) : exchange,
  ),
  breaks("an-encoded-slash-ends-the-parameter", ["ROUTE-034"], (exchange) =>
    at("/users/a%2Fb", exchange) ? editObject(notFound(exchange), () => ({ status: 404 })) : exchange,
  ),
  breaks("an-encoded-slash-stays-encoded", ["ROUTE-034"], (exchange) =>
    at("/files/a/c%2Fd", exchange) ? editObject(exchange, () => ({ path: "a/c%2Fd" })) : exchange,
  ),
  breaks("an-encoded-slash-at-the-beginning-is-dropped", ["ROUTE-034"], (exchange) =>
    at("/users/1%2f2/posts/%2F3", exchange) ? editObject(exchange, () => ({ id: "1/2", postId: "3" })) : exchange,
  ),
  breaks("a-bad-escape-is-500", ["ROUTE-003"], (exchange) =>
    at("/users/%C3", exchange, 400) ? { ...exchange, status: 500 } : exchange,
  ),
  breaks("dot-segments-are-resolved", ["ROUTE-004"], (exchange) =>
    at("/files/a/../b", exchange, 400) ? { ...exchange, status: 200, body: '{"path":"b"}' } : exchange,
  ),
  breaks("encoded-dot-segments-pass", ["ROUTE-004"], (exchange) =>
    at("/users/%2e%2e", exchange, 400) ? { ...exchange, status: 200, body: '{"id":".."}' } : exchange,
  ),
  breaks("slashes-are-merged", ["ROUTE-005"], (exchange) =>
    at("//users/1", exchange, 404) ? { ...exchange, status: 200, body: '{"id":"1"}' } : exchange,
  ),
  breaks("dot-segments-between-backslashes-pass", ["ROUTE-004"], (exchange) =>
    at("/files/a%5C..%5cb", exchange, 400) ? { ...exchange, status: 200, body: '{"path":"a\\\\..\\\\b"}' } : exchange,
  ),
  breaks("a-wildcard-begins-with-an-empty-segment", ["ROUTE-005"], (exchange) =>
    at("/files//a", exchange, 404) ? { ...exchange, status: 200, body: '{"path":"/a"}' } : exchange,
  ),
  breaks("a-wildcard-takes-the-encoded-path-of-another-route", ["ROUTE-017"], (exchange) =>
    at("/match/a%2Fx", exchange, 404) ? { ...exchange, status: 200, body: '{"matched":"/match/*rest"}' } : exchange,
  ),
  breaks("an-encoded-path-is-sent-on-to-the-plain-route", ["ROUTE-017"], (exchange) =>
    at("/match/a%5Cx", exchange, 404) ? { ...exchange, status: 200, body: '{"matched":"/match/a/x"}' } : exchange,
  ),
  breaks("a-wildcard-begins-with-an-encoded-slash", ["ROUTE-017"], (exchange) =>
    at("/files/%2Fa", exchange, 404) ? { ...exchange, status: 200, body: '{"path":"/a"}' } : exchange,
  ),
  breaks("a-wildcard-takes-no-encoded-slash", ["ROUTE-017"], (exchange) =>
    at("/match/a%2Fz", exchange) ? notFound(exchange) : exchange,
  ),
  breaks("a-wildcard-loses-its-trailing-slash", ["ROUTE-023"], (exchange) =>
    at("/files/a/", exchange) ? editObject(exchange, () => ({ path: "a" })) : exchange,
  ),
  breaks("a-wildcard-merges-slashes", ["ROUTE-023"], (exchange) =>
    at("/files/a//b/", exchange) ? editObject(exchange, () => ({ path: "a/b/" })) : exchange,
  ),
  breaks("a-trailing-slash-is-another-path", ["ROUTE-006"], (exchange) =>
    /^\/users\/[0-9a-f]{16}\/$/.test(exchange.sent.target) ? notFound(exchange) : exchange,
  ),
  breaks("a-trailing-slash-is-part-of-the-parameter", ["ROUTE-006"], (exchange) =>
    /^\/users\/[0-9a-f]{16}\/$/.test(exchange.sent.target)
      ? editObject(exchange, ({ id }) => ({ id: `${String(id)}/` }))
      : exchange,
  ),
  breaks("nothing-matched-is-200", ["ROUTE-007"], (exchange) =>
    at("/users/1/posts", exchange, 404) ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("paths-are-case-insensitive", ["ROUTE-007"], (exchange) =>
    at("/USERS/1", exchange, 404) ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("another-method-is-404", ["ROUTE-008", "ROUTE-012", "ROUTE-027", "ERR-001"], (exchange) =>
    exchange.sent.method === "DELETE" && at("/users/1", exchange, 405) ? notFound(exchange) : exchange,
  ),
  breaks("allow-forgets-query", ["ROUTE-008", "ROUTE-027"], (exchange) =>
    at("/search", exchange, 405) ? editHeader(exchange, "Allow", "GET, HEAD, OPTIONS") : exchange,
  ),
  breaks("allow-invents-get", ["ROUTE-008", "ROUTE-027"], (exchange) =>
    at("/echo", exchange, 405) ? editHeader(exchange, "Allow", "GET, OPTIONS, POST") : exchange,
  ),
  breaks("methods-that-are-not-known-are-501", ["ROUTE-027"], (exchange) =>
    exchange.sent.method === "MKCOL" && at("/users/1", exchange, 405) ? { ...exchange, status: 501 } : exchange,
  ),
  breaks("head-loses-a-header", ["ROUTE-028"], (exchange) =>
    exchange.sent.method === "HEAD" && at("/users/1", exchange)
      ? editHeader(exchange, "Content-Type", undefined)
      : exchange,
  ),
  breaks("head-says-no-length", ["ROUTE-009"], (exchange) =>
    exchange.sent.method === "HEAD" && at("/users/1", exchange)
      ? editHeader(exchange, "Content-Length", "0")
      : exchange,
  ),
  breaks("head-has-a-body", ["ROUTE-009"], (exchange) =>
    exchange.sent.method === "HEAD" && at("/users/1", exchange) ? { ...exchange, body: '{"id":"1"}' } : exchange,
  ),
  breaks("options-is-200", ["ROUTE-010", "QUERY-006"], (exchange) =>
    isPlainOptions(exchange) ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("options-says-not-what-is-allowed", ["ROUTE-010"], (exchange) =>
    isPlainOptions(exchange) ? editHeader(exchange, "Allow", undefined) : exchange,
  ),
  breaks("middleware-misses-what-is-not-found", ["ROUTE-012"], (exchange) =>
    exchange.status === 404 && /^\/[0-9a-f]{16}$/.test(exchange.sent.target) && wasGivenAnId(exchange)
      ? editHeader(exchange, "X-Request-Id", undefined)
      : exchange,
  ),
  breaks("a-request-needs-no-host", ["ROUTE-014"], (exchange) =>
    hosts(exchange) === undefined ? allowed(exchange) : exchange,
  ),
  breaks("the-first-of-two-hosts-counts", ["ROUTE-014"], (exchange) =>
    hosts(exchange) === "a, b" ? allowed(exchange) : exchange,
  ),
  breaks("hosts-that-agree-are-one", ["ROUTE-014"], (exchange) =>
    hosts(exchange) === "a, a" ? allowed(exchange) : exchange,
  ),
  breaks("user-information-is-passed-over", ["ROUTE-020"], (exchange) =>
    askedOf("user@host", exchange) ? allowed(exchange) : exchange,
  ),
  breaks("half-an-address-is-a-host", ["ROUTE-020"], (exchange) =>
    askedOf("[::1", exchange) ? allowed(exchange) : exchange,
  ),
  breaks("an-address-in-brackets-is-rejected", ["ROUTE-020"], (exchange) =>
    askedOf("[::1]:80", exchange) ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("nothing-is-at-asterisk", ["ROUTE-021"], (exchange) =>
    exchange.sent.target === "*" ? { ...exchange, status: 404 } : exchange,
  ),
  breaks("asterisk-has-the-methods-of-the-root", ["ROUTE-021"], (exchange) =>
    exchange.sent.target === "*" ? editHeader(exchange, "Allow", "GET, HEAD, OPTIONS") : exchange,
  ),
  breaks("asterisk-is-handled-before-the-middleware", ["ROUTE-021"], (exchange) =>
    exchange.sent.target === "*" ? editHeader(exchange, "X-Request-Id", undefined) : exchange,
  ),
  breaks("expectations-are-passed-over", ["ROUTE-022"], (exchange) =>
    headerOf(exchange.sent.headers, "expect") === "else" ? allowed(exchange) : exchange,
  ),
  breaks("an-unmet-expectation-has-no-problem", ["ROUTE-022"], (exchange) =>
    headerOf(exchange.sent.headers, "expect") === "else"
      ? { ...editHeader(exchange, "Content-Type", undefined), body: "" }
      : exchange,
  ),
  breaks("an-unmet-expectation-is-logged-twice", ["ROUTE-022"], (exchange) =>
    exchange.sent.path === "/__subject/evidence"
      ? editObject(exchange, (evidence) => ({ ...evidence, logs: repeated(evidence["logs"]) }))
      : exchange,
  ),
  breaks("every-host-is-rejected", ["ROUTE-014"], (exchange) =>
    hosts(exchange) === "a" ? { ...exchange, status: 400 } : exchange,
  ),
];

/** The log with the lines of 417 twice. */
const repeated = (logs: unknown): unknown =>
  Array.isArray(logs)
    ? logs.flatMap((line: { readonly status: number }) => (line.status === 417 ? [line, line] : [line]))
    : logs;

function wasGivenAnId({ sent }: Exchange): boolean {
  return sent.headers.some(([name, value]) => name.toLowerCase() === "x-request-id" && value === "global");
}
