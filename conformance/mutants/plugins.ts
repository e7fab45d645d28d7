/** Panels that show too much or too little, or that everyone can read. */
import type { RequirementId } from "../../spec/requirements.ts";
import { panelsPath } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, type Mutant } from "../kit/mutant.ts";

/** Rewrites the responses of the panel of that name to clients that the guard lets in. Without a name, their list. */
const ofPanel = (name: string, id: RequirementId, panel: string, change: (exchange: Exchange) => Exchange): Mutant =>
  breaks(name, [id], (exchange) => {
    const { sent, status } = exchange;
    return sent.path === panelsPath + panel && status === 200 ? change(exchange) : exchange;
  });

/** The mutants of this chapter. */
export const plugins = [
  ofPanel("panel-error-is-500", "PLUGIN-018", "/throwing", (exchange) => ({ ...exchange, status: 500 })),
  breaks("panels-for-everybody", ["PLUGIN-019"], (exchange) =>
    exchange.sent.path === panelsPath && exchange.status === 403 ? { ...exchange, status: 200 } : exchange,
  ),
];
