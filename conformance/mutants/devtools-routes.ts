/** Broken lists of routes. */
import type { Static } from "typebox";
import type { RequirementId } from "../../spec/requirements.ts";
import type { RouteList } from "../../spec/routes.ts";
import { asJson, routesPath } from "../kit/devtools.ts";
import { breaks, editJson, headerOf, type Mutant } from "../kit/mutant.ts";

type Routes = Static<typeof RouteList>;

function spoils(name: string, kills: readonly RequirementId[], change: (routes: Routes) => readonly unknown[]): Mutant {
  return breaks(name, kills, (exchange) => {
    const { sent, status } = exchange;
    if (sent.target !== routesPath || status !== 200) return exchange;
    if (headerOf(sent.headers, "accept") !== asJson.accept) return exchange;
    return editJson(exchange, (body) => change(body as Routes));
  });
}

/** The beans of one route set to these. */
const withBeans = (routes: Routes, name: string, beans: readonly string[]): Routes =>
  routes.map((route) => (`${route.method} ${route.path}` === name ? { ...route, beans: [...beans] } : route));

type Contract = NonNullable<Routes[number]["contract"]>;

/** The contract of one route changed. */
const withContract = (routes: Routes, name: string, change: (contract: Contract) => Contract | undefined): Routes =>
  routes.map((route) => {
    if (`${route.method} ${route.path}` !== name) return route;
    const { contract = {}, ...rest } = route;
    const changed = change(contract);
    return changed === undefined ? rest : { ...rest, contract: changed };
  });

const parts = ["params", "query", "headers", "cookies", "body"] as const;
const anything = { schema: {} };

/** The mutants of the list of routes. */
export const devtoolsRoutes = [
  breaks("routes-are-accepted", ["DEV-002"], (exchange) =>
    exchange.sent.target === routesPath && headerOf(exchange.sent.headers, "accept") === asJson.accept
      ? { ...exchange, status: 202 }
      : exchange,
  ),
  spoils("routes-forget-one", ["DEV-002", "DEV-073"], (routes) => routes.filter(({ path }) => path !== "/echo")),
  spoils("routes-come-twice", ["DEV-002"], (routes) => routes.flatMap((route) => [route, route])),
  spoils("routes-in-order-of-registration", ["DEV-002"], (routes) => routes.toReversed()),
  spoils("routes-ordered-by-method", ["DEV-002"], (routes) =>
    routes.toSorted((a, b) => (a.method < b.method ? -1 : a.method > b.method ? 1 : 0)),
  ),
  spoils("routes-name-every-bean-below", ["DEV-016"], (routes) =>
    withBeans(routes, "GET /orders/{id}", ["OrderRepository", "Database"]),
  ),
  spoils("routes-name-no-bean-of-a-method", ["DEV-017"], (routes) => withBeans(routes, "GET /parallel", [])),
  spoils("routes-without-contracts", ["DEV-070"], (routes) =>
    withContract(routes, "POST /lines/{order}", () => undefined),
  ),
  ...parts.map((part) =>
    spoils(`routes-take-any-${part}`, ["DEV-070"], (routes) =>
      withContract(routes, "POST /lines/{order}", (contract) => ({
        ...contract,
        [part]: part === "cookies" ? { schema: null } : { ...contract[part], ...anything },
      })),
    ),
  ),
  spoils("routes-call-a-form-json", ["DEV-070"], (routes) =>
    withContract(routes, "POST /forms", (contract) => ({
      ...contract,
      body: { kind: "json", schema: contract.body?.schema ?? null },
    })),
  ),
  spoils("routes-call-json-a-form", ["DEV-070"], (routes) =>
    withContract(routes, "POST /lines/{order}", (contract) => ({
      ...contract,
      body: { kind: "form", schema: contract.body?.schema ?? null },
    })),
  ),
  spoils("routes-take-any-form", ["DEV-070"], (routes) =>
    withContract(routes, "POST /forms", (contract) => ({ ...contract, body: { kind: "form", ...anything } })),
  ),
  spoils("routes-declare-what-nobody-did", ["DEV-085"], (routes) => withContract(routes, "GET /boom", () => ({}))),
  spoils("routes-list-devtools", ["DEV-018"], (routes) => [
    ...routes,
    { method: "GET", path: "/framework/dev", pathParams: [], beans: [] },
  ]),
];
