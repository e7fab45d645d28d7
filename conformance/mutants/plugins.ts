/** Panels that show too much, too little, or to everybody. */
import type { RequirementId } from "../../spec/requirements.ts";
import { panelsPath } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editJson, editObject, type Mutant } from "../kit/mutant.ts";

/** Rewrites what a panel of that name responds to whom the guard lets in; without a name, their list. */
const ofPanel = (name: string, id: RequirementId, panel: string, change: (exchange: Exchange) => Exchange): Mutant =>
  breaks(name, [id], (exchange) => {
    const { sent, status } = exchange;
    return sent.path === panelsPath + panel && status === 200 ? change(exchange) : exchange;
  });

const withMembers = (members: object) => (exchange: Exchange) =>
  editObject(exchange, (body) => ({ ...body, ...members }));
const asList = (change: (list: readonly unknown[]) => unknown) => (exchange: Exchange) =>
  editJson(exchange, (body) => (Array.isArray(body) ? change(body) : body));
const withRows = (change: (rows: readonly object[]) => unknown) => (exchange: Exchange) =>
  editObject(exchange, (body) => ({ ...body, data: change(body["data"] as readonly object[]) }));

/** The mutants of this chapter. */
export const plugins = [
  ofPanel("panels-list-is-202", "PLUGIN-017", "", (exchange) => ({ ...exchange, status: 202 })),
  ofPanel(
    "panel-error-of-what-was-read",
    "PLUGIN-017",
    "/ledger",
    withMembers({ error: { name: "Error", message: "failed" } }),
  ),
  ofPanel(
    "panels-list-nothing",
    "PLUGIN-017",
    "",
    asList(() => []),
  ),
  ofPanel(
    "panels-in-another-order",
    "PLUGIN-017",
    "",
    asList((list) => list.toReversed()),
  ),
  breaks("panels-of-any-name", ["PLUGIN-017"], (exchange) =>
    exchange.sent.path.startsWith(`${panelsPath}/`) && exchange.status === 404
      ? { ...exchange, status: 200 }
      : exchange,
  ),
  ofPanel("panel-shows-secrets", "PLUGIN-017", "/ledger", (exchange) => ({
    ...exchange,
    body: exchange.body.replace("[redacted]", "hunter2-ledger"),
  })),
  ofPanel(
    "panel-without-bounds",
    "PLUGIN-017",
    "/ledger",
    withRows(([tea]) => [tea, { entry: "x".repeat(1_000_000) }]),
  ),
  ofPanel("panel-of-another-kind", "PLUGIN-017", "/ledger", withMembers({ kind: "json" })),
  ofPanel("panel-error-is-500", "PLUGIN-018", "/throwing", (exchange) => ({ ...exchange, status: 500 })),
  ofPanel("panel-error-is-kept-back", "PLUGIN-018", "/throwing", withMembers({ error: null })),
  ofPanel("panel-error-beside-a-value", "PLUGIN-018", "/rejecting", withMembers({ data: [] })),
  breaks("panels-for-everybody", ["PLUGIN-019"], (exchange) =>
    exchange.sent.path === panelsPath && exchange.status === 403 ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("a-panel-for-everybody", ["PLUGIN-019"], (exchange) =>
    exchange.sent.path === `${panelsPath}/ledger` && exchange.status === 403 ? { ...exchange, status: 200 } : exchange,
  ),
];
