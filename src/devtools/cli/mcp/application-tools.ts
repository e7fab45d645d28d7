/**
 * Application tools: the application's parts and its state.
 */
import { neighbours } from "../../run/reach.ts";
import { TerminalError } from "../terminal/errors.ts";
import type {
  AgentBean,
  AgentGraph,
  AgentHealth,
  AgentRoute,
  AgentRoutes,
  JsonObject,
  RouteInfo,
  MetricsView,
  Session,
} from "../../run/shapes.ts";
import { flag, text } from "./inputs.ts";
import { CHARS, cut, jsonOf, pageOf } from "./pages.ts";
import { bounded, notice, paged, pagingOf, roomOf, type Tool } from "./tool.ts";
import { Places } from "./views.ts";

/** `list_routes`. */
export const listRoutes: Tool = {
  name: "list_routes",
  description:
    "Lists the routes of the application: use it first, to learn what can be requested and which beans respond.",
  inputs: paged({
    filter: text("Only routes whose method and path contain it."),
    contracts: flag("With what each takes and gives, as JSON Schemas, and an example."),
  }),
  output: "AgentRoutes",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentRoutes> {
    const [filter = "", withContracts] = [given.text("filter"), given.isSet("contracts")];
    const routes = (await client.read("routes"))
      .filter(({ method, path }) => `${method} ${path}`.toLowerCase().includes(filter.toLowerCase()))
      .map((route) => routeOf(route, withContracts ? roomOf(given) : undefined));
    const paging = pagingOf("list_routes", given, { filter, withContracts });
    const { items, next } = pageOf(routes, {}, paging);
    return { routes: items, next, notice };
  },
};

function routeOf({ method, path, version, beans, contract, example }: RouteInfo, room: number | undefined): AgentRoute {
  const named = version === undefined ? {} : { version };
  const route = { method, path, ...named, summary: contract?.summary ?? null, beans };
  if (room === undefined) return route;
  return {
    ...route,
    ...(contract === undefined ? {} : { contract: within(contract, room / 2) }),
    ...(example === undefined ? {} : { example: within(example, room / 4) }),
  };
}

/** A part of a schema is useless, so one without room is replaced by a note. */
function within(schema: object, room: number): JsonObject {
  const { length } = jsonOf(schema);
  return length <= room
    ? (schema as JsonObject)
    : { $comment: `${length} characters: maxChars of ${Math.min(CHARS[1], 3 * length)} has room for them` };
}

/** `get_graph`. */
export const getGraph: Tool = {
  name: "get_graph",
  description:
    "Gives the beans and what they depend on, or one bean with the files and lines of its methods: use it to see what code a route can reach.",
  inputs: paged({ bean: text("One bean by its id, with its methods.") }),
  output: "AgentGraph",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentGraph> {
    const asked = given.text("bean");
    const graph = await client.read("graph");
    const usedBy = neighbours(graph, true);
    const places = asked === undefined ? undefined : new Places(await client.read("sources"));
    const beans = graph.nodes
      .filter(({ id }) => asked === undefined || id === asked)
      .map(({ id, stereotype, implementation, dependencies }): AgentBean => ({
        id,
        stereotype,
        implementation,
        dependencies,
        usedBy: usedBy.get(id) ?? [],
        ...(places === undefined ? {} : { methods: places.methodsOf(id) }),
      }));
    if (beans.length === 0 && asked !== undefined)
      throw new TerminalError(`${JSON.stringify(asked)} is no bean: get_graph without bean lists them`);
    const { items, next } = pageOf(beans, {}, pagingOf("get_graph", given, { asked: asked ?? null }));
    return { beans: items, total: graph.nodes.length, next, notice };
  },
};

/** `get_health`. */
export const getHealth: Tool = {
  name: "get_health",
  description:
    "Tells whether the application is up, which commit runs, what its health checks say, how it started and which routes fail: use it when nothing responds as expected.",
  inputs: bounded({}),
  output: "AgentHealth",
  isReadOnly: true,
  async run(_given, { client }): Promise<AgentHealth> {
    const [{ health, checks }, { current, failed }, { sessions }, { metrics }] = await Promise.all([
      client.read("health"),
      client.read("startup"),
      client.read("sessions"),
      client.read("metrics"),
    ]);
    const error = failed?.error ?? null;
    return {
      url: client.base,
      ...processOf(sessions.find((one) => one.current)),
      status: health?.status ?? null,
      checks: checks
        .slice(0, MOST_CHECKS)
        .map(({ name, status, error: why = null }) => ({ name, status, error: why === null ? null : cut(why, 200) })),
      startUs: current?.durationUs ?? null,
      failedStart:
        failed === null || error === null
          ? null
          : { error: cut(`${error.name}: ${error.message}`, 500), beans: failed.chain.slice(0, 20) },
      routes: worstOf(metrics),
      notice,
    };
  },
};

const MOST_CHECKS = 20;
const MOST_ROUTES = 20;

function processOf(
  session: Session | undefined,
): Pick<AgentHealth, "app" | "instance" | "startedAt" | "commit" | "branch"> {
  if (session === undefined) return { app: null, instance: null, startedAt: null, commit: null, branch: null };
  const { app, instance, startedAt, commit, branch } = session;
  return { app, instance, startedAt: new Date(startedAt).toISOString(), commit, branch };
}

/** The routes with most errors, and for equal numbers, with most requests. */
function worstOf(metrics: MetricsView["metrics"]): AgentHealth["routes"] {
  return (metrics?.routes ?? [])
    .toSorted((a, b) => b.errors - a.errors || b.count - a.count)
    .slice(0, MOST_ROUTES)
    .map(({ method, route, count, errors, durationSeconds: { p95 } }) => ({
      route: cut(`${method} ${route}`, 120),
      count,
      errors,
      p95Ms: Math.max(0, Math.round(p95 * 1e6) / 1e3),
    }));
}
