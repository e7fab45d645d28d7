/** Tools that are not what their routes are, or that let agents in. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks } from "../kit/mutant.ts";

const isOf = (exchange: Exchange, method: string): boolean =>
  exchange.sent.path === "/mcp" && exchange.sent.body.includes(`"method":"${method}"`);

const replaced = (exchange: Exchange, from: string, to: string): Exchange => ({
  ...exchange,
  body: exchange.body.replaceAll(from, to),
});

/** The mutants of this chapter. */
export const tools = [
  breaks("hidden-routes-are-tools", ["TOOL-001"], (exchange) =>
    isOf(exchange, "tools/list") ? replaced(exchange, '"name":"large"', '"name":"hidden"') : exchange,
  ),
  breaks("writing-tools-only-read", ["TOOL-003"], (exchange) =>
    isOf(exchange, "tools/list") ? replaced(exchange, '"idempotentHint":true', '"readOnlyHint":true') : exchange,
  ),
  breaks("problems-are-results", ["TOOL-005"], (exchange) =>
    isOf(exchange, "tools/call") && exchange.body.includes('\\"status\\":422')
      ? replaced(exchange, '"isError":true', '"isError":false')
      : exchange,
  ),
  breaks("calls-need-no-credentials", ["TOOL-007"], (exchange) =>
    isOf(exchange, "tools/call") && exchange.body.includes('\\"status\\":401')
      ? replaced(exchange, '"isError":true', '"isError":false')
      : exchange,
  ),
  breaks("unknown-tools-have-results", ["TOOL-017"], (exchange) =>
    isOf(exchange, "tools/call") ? replaced(exchange, "-32602", "-32600") : exchange,
  ),
  breaks("pages-may-call", ["TOOL-012"], (exchange) =>
    exchange.sent.path === "/mcp" && exchange.status === 403 ? { ...exchange, status: 200 } : exchange,
  ),
];
