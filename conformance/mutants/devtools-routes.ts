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

/** Sets the beans of one route. */
const withBeans = (routes: Routes, name: string, beans: readonly string[]): Routes =>
  routes.map((route) => (`${route.method} ${route.path}` === name ? { ...route, beans: [...beans] } : route));

/** The mutants of the list of routes. */
export const devtoolsRoutes = [
  spoils("routes-name-every-bean-below", ["DEV-016"], (routes) =>
    withBeans(routes, "GET /orders/{id}", ["OrderRepository", "Database"]),
  ),
];
