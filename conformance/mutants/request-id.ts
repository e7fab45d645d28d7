/** Request ids that are lost, forged or repeated. */
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const given = ({ sent }: Exchange): readonly string[] =>
  sent.headers.filter(([name]) => name.toLowerCase() === "x-request-id").map(([, value]) => value);

const withRequestId = (exchange: Exchange, id: string | undefined): Exchange =>
  editHeader(exchange, "X-Request-Id", id);

const constant = "7f9c24e5-3c1b-4d9e-8a52-1f0b6d3e9c77";

/** The mutants of this chapter. */
export const requestId = [
  breaks("ids-are-always-new", ["REQID-001"], (exchange) =>
    given(exchange)[0] === "a" ? withRequestId(exchange, constant) : exchange,
  ),
  breaks("long-ids-are-cut", ["REQID-001"], (exchange) =>
    given(exchange)[0]?.length === 128 ? withRequestId(exchange, "x".repeat(64)) : exchange,
  ),
  breaks("any-id-is-kept", ["REQID-002"], (exchange) =>
    given(exchange)[0] === "<script>" ? withRequestId(exchange, "<script>") : exchange,
  ),
  breaks("an-id-with-a-colon-is-kept", ["REQID-002"], (exchange) =>
    given(exchange)[0] === "a:b" ? withRequestId(exchange, "a:b") : exchange,
  ),
  breaks("the-first-of-several-ids-is-kept", ["REQID-002"], (exchange) =>
    given(exchange)[0] === "one" ? withRequestId(exchange, "one") : exchange,
  ),
  breaks("new-ids-are-counted", ["REQID-002"], (exchange) =>
    given(exchange)[0] === "a,b" ? withRequestId(exchange, "req-1") : exchange,
  ),
  breaks("errors-lose-their-id", ["REQID-003"], (exchange) =>
    exchange.sent.path === "/boom" && /^[0-9a-f]{16}$/.test(given(exchange)[0] ?? "")
      ? withRequestId(exchange, undefined)
      : exchange,
  ),
  breaks("all-requests-share-an-id", ["REQID-007"], (exchange) =>
    given(exchange).length === 0 &&
    exchange.sent.path === "/users/1" &&
    headerOf(exchange.headers, "x-request-id") !== undefined
      ? withRequestId(exchange, constant)
      : exchange,
  ),
];
