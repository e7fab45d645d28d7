/** Broken devtools: endpoints that respond wrongly, and side effects of recording. */
import type { RequirementId } from "../../spec/requirements.ts";
import { asJson, graphPath, page } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";
import { spoilsList } from "../kit/spoil.ts";

const evidencePath = "/__subject/evidence";

function spoils(
  name: string,
  kills: readonly RequirementId[],
  isIt: (exchange: Exchange) => boolean,
  change: Rewrite,
): Mutant {
  return breaks(name, kills, (exchange) => (isIt(exchange) ? change(exchange) : exchange));
}

const askedForJson =
  (target: string) =>
  ({ sent }: Exchange): boolean =>
    sent.target === target && headerOf(sent.headers, "accept") === asJson.accept;

const receivedAs =
  (status: number) =>
  (exchange: Exchange): boolean =>
    exchange.sent.path === `${page}/v1/traces` && exchange.status === status;

/** Evidence with only the last request of the case about devtools' silence. */
const silence = ({ sent, body }: Exchange): boolean =>
  sent.path === evidencePath && /"path":"\/users\/silent-/.test(body) && body.split('"path":"').length === 2;

/** The mutants of the endpoints. */
export const devtools = [
  spoilsList("devtools-keeps-more", ["DEV-005"], (list) => {
    const last = list.at(-1);
    if (list[0]?.path !== "/users/last-kept" || last === undefined) return undefined;
    return [...list, { ...last, sequence: last.sequence - 1 }];
  }),
  spoils("devtools-json-without-charset", ["DEV-009"], askedForJson(graphPath), (exchange) =>
    editHeader(exchange, "content-type", "application/json"),
  ),
  spoilsList("devtools-traces-itself", ["DEV-011"], (list) =>
    list[0]?.path === "/users/untraced" ? [list[0], { ...list[0], path: graphPath }, ...list.slice(1)] : undefined,
  ),
  spoils("devtools-has-spans", ["DEV-012"], silence, (exchange) => ({
    ...exchange,
    body: exchange.body.replace('"name":"GET /users/{id}"', `"name":"GET ${page}"`),
  })),
  spoils("devtools-receiver-says-partial", ["DEV-086"], receivedAs(200), (exchange) =>
    exchange.body === "{}" ? { ...exchange, body: '{"partialSuccess":{"rejectedSpans":"1"}}' } : exchange,
  ),
  spoils("devtools-receiver-hides-rejected-spans", ["DEV-087"], receivedAs(200), (exchange) =>
    exchange.body.includes("rejectedSpans") ? { ...exchange, body: "{}" } : exchange,
  ),
  spoils("devtools-receiver-sends-a-problem", ["DEV-088"], receivedAs(400), (exchange) =>
    editHeader(exchange, "content-type", "application/problem+json"),
  ),
  spoils("devtools-receiver-takes-too-much", ["DEV-089"], receivedAs(413), (exchange) => ({
    ...exchange,
    status: 200,
  })),
];
