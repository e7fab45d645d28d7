/** Webhooks that are accepted though they are not signed, or run again. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editObject } from "../kit/mutant.ts";

const isHook = ({ sent }: Exchange): boolean => sent.path.startsWith("/hooks/");

/** The mutants of this chapter. */
export const webhooks = [
  breaks("unsigned-webhooks-are-accepted", ["HOOK-002", "HOOK-003"], (exchange) =>
    isHook(exchange) && exchange.status === 401 ? { ...exchange, status: 201 } : exchange,
  ),
  breaks("webhooks-run-again", ["HOOK-005"], (exchange) =>
    isHook(exchange) && exchange.status === 201
      ? editObject(exchange, (body) => ({ ...body, id: crypto.randomUUID() }))
      : exchange,
  ),
];
