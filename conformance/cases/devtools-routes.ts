/** The list of routes, by HTTP. Spec: devtools.md (DEV). */
import type { Static } from "typebox";
import { RouteList } from "../../spec/routes.ts";
import { proves } from "../kit/case.ts";
import { asJson, routesPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";

type Routes = Static<typeof RouteList>;

async function routesOf(probe: Probe): Promise<Routes> {
  return probe.json(RouteList, await probe.send("GET", routesPath, { headers: asJson }));
}

const beansOf = (routes: Routes, method: string, path: string): readonly string[] | undefined =>
  routes.find((route) => route.method === method && route.path === path)?.beans;

/** Routes of spec/subject.md, by path, then method; a subject may have more. */
const registered: readonly string[] = [
  ...["GET /api/search", "QUERY /api/search", "GET /big/{bytes}", "GET /boom", "POST /echo", "GET /events/{n}"],
  ...["GET /fail/{status}", "GET /files/*path", "QUERY /lookup", "GET /metrics", "POST /orders", "GET /orders/{id}"],
  ...["GET /parallel", "GET /search", "QUERY /search", "GET /slow/{ms}", "GET /users/{id}"],
  "GET /users/{id}/posts/{postId}",
];

/** The cases of the list of routes. */
export const devtoolsRoutes = [
  proves("DEV-002", "lists every route, by path, then method", async (probe) => {
    const response = await probe.send("GET", routesPath, { headers: asJson });
    const listed = probe.json(RouteList, response).map(({ method, path }) => `${method} ${path}`);
    const routes = listed.filter((route) => registered.includes(route));
    probe.equal("status and routes", [response.status, routes], [200, registered]);
  }),

  proves("DEV-016", "names the bean by which a closure's request entered the graph", async (probe) => {
    const order = await probe.send("POST", "/orders", { json: { item: "tea", total: 1 } });
    const [, id] = /"id"\s*:\s*"([^"]+)"/.exec(order.text) ?? [];
    await probe.send("GET", `/orders/${id ?? ""}`);
    const beans = await probe.eventually("a bean of the route", async () => {
      const found = beansOf(await routesOf(probe), "GET", "/orders/{id}");
      return found?.length === 0 ? undefined : found;
    });
    probe.equal("the beans of the route", beans, ["OrderRepository"]);
  }),

  proves("DEV-017", "names the bean whose method the route was registered with", async (probe) => {
    const routes = await routesOf(probe);
    const beans = [beansOf(routes, "POST", "/orders"), beansOf(routes, "GET", "/parallel")];
    probe.equal("the beans of the routes", beans, [["OrderController"], ["ParallelController"]]);
  }),

  proves("DEV-018", "lists none of its own endpoints", async (probe) => {
    const paths = (await routesOf(probe)).map(({ path }) => path);
    const own = paths.filter((path) => path.startsWith("/framework/dev"));
    probe.equal("an ordinary route, its own", [paths.includes("/boom"), own], [true, []]);
  }),
];
