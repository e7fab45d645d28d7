/** Health endpoints that lie. */
import { breaks, editHeader, editObject } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const matches = ({ sent, status }: Exchange, wanted: number, path = "/health"): boolean =>
  sent.method === "GET" && sent.path === path && status === wanted;

const edit = (exchange: Exchange, change: Readonly<Record<string, unknown>>): Exchange =>
  editObject(exchange, (body) => ({ ...body, ...change }));

/** The mutants of this chapter. */
export const health = [
  breaks("up-is-503", ["HEALTH-001", "HEALTH-018", "HEALTH-019"], (exchange) =>
    matches(exchange, 200) ? { ...exchange, status: 503 } : exchange,
  ),
  breaks("up-is-called-down", ["HEALTH-001", "HEALTH-018"], (exchange) =>
    matches(exchange, 200) ? edit(exchange, { status: "DOWN" }) : exchange,
  ),
  breaks("down-is-200", ["HEALTH-002", "HEALTH-004", "HEALTH-007"], (exchange) =>
    matches(exchange, 503) ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("down-is-called-up", ["HEALTH-002", "HEALTH-004", "HEALTH-016"], (exchange) =>
    matches(exchange, 503) ? edit(exchange, { status: "UP" }) : exchange,
  ),
  breaks("a-check-is-not-listed", ["HEALTH-003", "HEALTH-018"], (exchange) =>
    matches(exchange, 200) ? edit(exchange, { checks: { db: "UP" } }) : exchange,
  ),
  breaks("checks-are-listed-in-another-order", ["HEALTH-003"], (exchange) =>
    matches(exchange, 200) ? edit(exchange, { checks: { disk: "UP", db: "UP" } }) : exchange,
  ),
  breaks("a-failing-check-fails-its-neighbours", ["HEALTH-004", "HEALTH-006"], (exchange) =>
    matches(exchange, 503) ? edit(exchange, { checks: { db: "DOWN", disk: "DOWN" } }) : exchange,
  ),
  breaks("a-failing-check-is-not-reported", ["HEALTH-004", "HEALTH-006"], (exchange) =>
    matches(exchange, 503) ? edit(exchange, { checks: { disk: "UP" } }) : exchange,
  ),
  breaks("health-is-late", ["HEALTH-007"], (exchange) =>
    matches(exchange, 503) ? { ...exchange, delayMs: 1_100 } : exchange,
  ),
  breaks("liveness-asks-everything", ["HEALTH-014"], (exchange) =>
    matches(exchange, 200, "/health/live") ? edit(exchange, { checks: { db: "UP", disk: "UP" } }) : exchange,
  ),
  breaks("readiness-asks-everything", ["HEALTH-014"], (exchange) =>
    matches(exchange, 200, "/health/ready") ? edit(exchange, { checks: { db: "UP", disk: "UP" } }) : exchange,
  ),
  breaks("health-says-why", ["HEALTH-016"], (exchange) =>
    matches(exchange, 503)
      ? edit(exchange, { details: { db: { durationUs: 1, error: "rejected" }, disk: { durationUs: 1 } } })
      : exchange,
  ),
  breaks("head-of-health-is-405", ["HEALTH-018"], (exchange) =>
    exchange.sent.method === "HEAD" && exchange.sent.path === "/health" ? { ...exchange, status: 405 } : exchange,
  ),
  breaks("health-responds-to-every-method", ["HEALTH-019"], (exchange) =>
    exchange.sent.method === "POST" && exchange.sent.path === "/health" ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("health-responds-below-its-path", ["HEALTH-019"], (exchange) =>
    exchange.sent.path === "/health/other" ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("readiness-may-be-stored", ["HEALTH-020"], (exchange) =>
    matches(exchange, 200, "/health/ready") ? editHeader(exchange, "Cache-Control", undefined) : exchange,
  ),
  breaks("health-is-text", ["HEALTH-020"], (exchange) =>
    matches(exchange, 200, "/health/live") ? editHeader(exchange, "Content-Type", "text/plain") : exchange,
  ),
  breaks("health-is-no-route", ["HEALTH-022"], (exchange) =>
    exchange.sent.path === "/__subject/evidence"
      ? editObject(exchange, (evidence) => ({
          ...evidence,
          logs: (evidence["logs"] as { readonly path: string }[]).map((line) =>
            line.path === "/health" ? { ...line, route: null } : line,
          ),
        }))
      : exchange,
  ),
];
