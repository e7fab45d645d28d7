/** Contracts that are held against half of what they say. */
import { breaks, editHeader, editObject } from "../kit/mutant.ts";

const isLine = (path: string): boolean => path.startsWith("/lines/");
const errorsOf = (problem: Readonly<Record<string, unknown>>) =>
  problem["errors"] as readonly { readonly in: string; readonly path: readonly string[]; readonly pointer: string }[];

/** The mutants of this chapter. */
export const contracts = [
  breaks("path-parameters-stay-text", ["CONTRACT-001"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 201
      ? editObject(exchange, (found) => ({ ...found, order: 8 }))
      : exchange,
  ),
  breaks("issues-of-the-body-alone", ["CONTRACT-004"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 422
      ? editObject(exchange, (problem) => ({
          ...problem,
          errors: errorsOf(problem).filter((one) => one.in === "body"),
        }))
      : exchange,
  ),
  breaks("issues-have-no-pointer", ["CONTRACT-004"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 422
      ? editObject(exchange, (problem) => ({
          ...problem,
          errors: errorsOf(problem).map(({ pointer: _, ...rest }) => rest),
        }))
      : exchange,
  ),
  breaks("schemas-are-asked-before-the-body-is-read", ["CONTRACT-005"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 400 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("other-methods-are-held-against-the-contract-too", ["CONTRACT-005"], (exchange) =>
    isLine(exchange.sent.path) && exchange.sent.method === "PUT" ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("contracts-reject-with-400", ["CONTRACT-004", "CONTRACT-005", "CONTRACT-006", "CONTRACT-007"], (exchange) =>
    exchange.status === 422 && (isLine(exchange.sent.path) || exchange.sent.path === "/forms")
      ? { ...exchange, status: 400 }
      : exchange,
  ),
  breaks("the-first-of-several-values-wins", ["CONTRACT-006"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 201
      ? editObject(exchange, (found) => ({ ...found, tags: (found["tags"] as readonly string[]).slice(0, 1) }))
      : exchange,
  ),
  breaks("forms-lose-their-lists", ["CONTRACT-007"], (exchange) =>
    exchange.sent.path === "/forms" && exchange.status === 200
      ? editObject(exchange, (found) => ({ ...found, tags: [] }))
      : exchange,
  ),
  breaks("forms-take-json", ["CONTRACT-007"], (exchange) =>
    exchange.sent.path === "/forms" && exchange.status === 415 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("contracts-of-query-say-no-type", ["CONTRACT-008"], (exchange) =>
    exchange.sent.path === "/lines" ? editHeader(exchange, "Accept-Query", undefined) : exchange,
  ),
  breaks("replies-are-200", ["CONTRACT-012"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 201 ? { ...exchange, status: 200 } : exchange,
  ),
];
