/** Broken health endpoints. */
import { breaks, editObject } from "../kit/mutant.ts";

/** The mutants of this chapter. */
export const health = [
  breaks("health-up-answers-503", ["HEALTH-001"], (exchange) =>
    exchange.sent.path === "/health" && exchange.status === 200 ? { ...exchange, status: 503 } : exchange,
  ),
  breaks("health-up-says-down", ["HEALTH-001"], (exchange) =>
    exchange.sent.path === "/health" && exchange.status === 200
      ? editObject(exchange, (body) => ({ ...body, status: "DOWN" }))
      : exchange,
  ),
];
