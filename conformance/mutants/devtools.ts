/** Broken devtools: endpoints that respond wrongly, and traces of watching. */
import type { RequirementId } from "../../spec/requirements.ts";
import { asJson, graphPath, page, requestsPath, routesPath, streamPath } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editJson, editObject, headerOf, type Mutant } from "../kit/mutant.ts";
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

const asked =
  (method: string, target: string) =>
  ({ sent }: Exchange): boolean =>
    sent.method === method && sent.target === target;
const askedForJson =
  (target: string) =>
  ({ sent }: Exchange): boolean =>
    sent.target === target && headerOf(sent.headers, "accept") === asJson.accept;
const status =
  (code: number): Rewrite =>
  (exchange) => ({ ...exchange, status: code });

/** Evidence of nothing but the request that the case about devtools' silence sends last. */
const silence = ({ sent, body }: Exchange): boolean =>
  sent.path === evidencePath && /"path":"\/users\/silent-/.test(body) && body.split('"path":"').length === 2;

/** The mutants of the endpoints. */
export const devtools = [
  spoils("devtools-graph-is-accepted", ["DEV-003"], askedForJson(graphPath), status(202)),
  spoils("devtools-list-is-accepted", ["DEV-004"], askedForJson(requestsPath), status(202)),
  spoilsList("devtools-list-oldest-first", ["DEV-004"], ([first, second, ...rest]) =>
    /^\/users\/[0-9a-f]{16}$/.test(first?.path ?? "") && /^\/users\/[0-9a-f]{16}$/.test(second?.path ?? "")
      ? [second, first, ...rest]
      : undefined,
  ),
  spoilsList("devtools-keeps-more", ["DEV-005"], (list) => {
    const last = list.at(-1);
    if (list[0]?.path !== "/users/last-kept" || last === undefined) return undefined;
    return [...list, { ...last, sequence: last.sequence - 1 }];
  }),
  spoilsList("devtools-keeps-the-first", ["DEV-005"], (list) =>
    list[0]?.path === "/users/last-kept"
      ? [...list.slice(0, 1), ...list.slice(2), { ...list[99], sequence: 1 }]
      : undefined,
  ),
  spoils("devtools-knows-no-head", ["DEV-006"], asked("HEAD", graphPath), status(405)),
  spoils("devtools-head-of-another-type", ["DEV-006"], asked("HEAD", routesPath), (exchange) =>
    editHeader(exchange, "content-type", "text/html"),
  ),
  spoils("devtools-takes-a-post", ["DEV-007"], asked("POST", graphPath), status(200)),
  spoils("devtools-says-no-allow", ["DEV-007"], asked("QUERY", streamPath), (exchange) =>
    editHeader(exchange, "allow", undefined),
  ),
  spoils("devtools-405-in-plain-text", ["DEV-007"], asked("PUT", routesPath), (exchange) =>
    editHeader(exchange, "content-type", "text/plain"),
  ),
  spoils("devtools-unknown-is-the-page", ["DEV-008"], asked("GET", `${graphPath}/nodes`), status(200)),
  spoils("devtools-unknown-without-a-problem", ["DEV-008"], asked("GET", `${page}/api`), (exchange) => ({
    ...exchange,
    body: "Not Found",
  })),
  spoils("devtools-json-without-charset", ["DEV-009"], askedForJson(graphPath), (exchange) =>
    editHeader(exchange, "content-type", "application/json"),
  ),
  spoils(
    "devtools-list-obeys-a-limit",
    ["DEV-010"],
    ({ sent }) => sent.path === requestsPath && sent.target.includes("limit=1"),
    (exchange) => editJson(exchange, (list) => (Array.isArray(list) ? list.slice(0, 1) : list)),
  ),
  spoils(
    "devtools-routes-obey-a-filter",
    ["DEV-010"],
    ({ sent }) => sent.path === routesPath && sent.target.includes("method=POST"),
    (exchange) => editJson(exchange, () => []),
  ),
  spoils(
    "devtools-stream-rejects-a-query",
    ["DEV-010"],
    ({ sent }) => sent.path === streamPath && sent.target.includes("limit=1"),
    status(400),
  ),
  spoilsList("devtools-traces-itself", ["DEV-011"], (list) =>
    list[0]?.path === "/users/untraced" ? [list[0], { ...list[0], path: graphPath }, ...list.slice(1)] : undefined,
  ),
  spoils("devtools-writes-lines", ["DEV-012"], silence, (exchange) =>
    editObject(exchange, ({ logs, ...evidence }) => {
      const lines = Array.isArray(logs) ? (logs as readonly object[]) : [];
      return { ...evidence, logs: [...lines, { ...lines[0], path: graphPath }] };
    }),
  ),
  spoils("devtools-counts-itself", ["DEV-012"], silence, (exchange) => ({
    ...exchange,
    body: exchange.body.replace(/(?<="metrics":.*)"route":"\/users\/\{id\}"/, '"route":"UNMATCHED"'),
  })),
  spoils("devtools-has-spans", ["DEV-012"], silence, (exchange) => ({
    ...exchange,
    body: exchange.body.replace('"name":"GET /users/{id}"', `"name":"GET ${page}"`),
  })),
  spoils("devtools-swallows-developers", ["DEV-013"], asked("GET", "/framework/developers"), status(403)),
  spoils(
    "devtools-on-in-production",
    ["DEV-019"],
    (exchange) => asked("GET", graphPath)(exchange) && exchange.status === 404,
    (exchange) => ({ ...exchange, status: 200 }),
  ),
  spoils(
    "devtools-off-but-mounted",
    ["DEV-019"],
    (exchange) => asked("DELETE", page)(exchange) && exchange.status === 404,
    status(405),
  ),
];
