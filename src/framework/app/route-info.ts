/**
 * Registered routes as tools see them: the dashboard's list, and `app.routes()`.
 *
 * Spec: spec/devtools.md
 */
import type { Beans } from "../beans/beans.ts";
import { joinPatterns, parsePattern } from "../routing/pattern.ts";
import type { DeclaredRoute } from "../contract/contract.ts";
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import { acceptOf, contractsOf, type RouteDefinition } from "../dispatch/registration.ts";
import { routeContract, type RouteContract } from "../dispatch/route-contract.ts";
import { type ApiVersion, versionOf } from "../dispatch/versions.ts";
import { exampleRequest, type ExampleRequest, type RouteExample } from "../dispatch/route-example.ts";

/** A registered route as tools see it (spec/routes.ts, RouteInfo). */
export interface RouteInfo {
  readonly method: string;
  /** Context path + pattern. */
  readonly path: string;
  readonly pathParams: readonly string[];
  /** Ids of the declared beans that link this route to the graph. */
  readonly beans: readonly string[];
  /** The name of its version. Absent when it has none. */
  readonly version?: string | undefined;
  readonly accept?: readonly string[] | undefined;
  /** A request that it accepts, from its options. That of a version names it. */
  readonly example?: ExampleRequest | undefined;
  /** Its input and output. Absent when nothing is declared. */
  readonly contract?: RouteContract | undefined;
  /** Is it a WebSocket (`app.ws`)? Absent when it is not. */
  readonly upgrades?: boolean | undefined;
}

/** The source of the routes. */
interface Surroundings {
  readonly contextPath: string;
  readonly strictSlash: boolean;
  readonly beans: Beans | undefined;
  readonly jsonSchemaOf: JsonSchemaOf | undefined;
}

/** The declared routes, in the order of their registration. */
export function declaredRoutes(
  routes: readonly RouteDefinition[],
  contextPath: string,
  jsonSchemaOf: JsonSchemaOf | undefined,
): DeclaredRoute[] {
  return routes.map((route) => ({
    method: route.method,
    path: joinPatterns(contextPath, route.pattern),
    pathParams: parsePattern(route.pattern).names,
    contracts: contractsOf(route),
    ...versionFacts(route),
    accept: acceptOf(route),
    example: route.options.example?.body,
    ...(route.upgrades === true ? { upgrades: true } : {}),
    ...(jsonSchemaOf === undefined ? {} : { jsonSchemaOf }),
  }));
}

function versionFacts(route: RouteDefinition): { readonly version?: DeclaredRoute["version"] } {
  const version = versionOf(contractsOf(route));
  if (version === undefined) return {};
  const { name, by } = version;
  return { version: { name, field: by.field, value: by.valueOf(name), isDefault: name === by.default } };
}

/** The routes, sorted by path, then method. */
export function routeInfos(routes: readonly RouteDefinition[], around: Surroundings): RouteInfo[] {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return routes
    .map((route) => infoOf(route, around))
    .toSorted((a, b) => order(a.path, b.path) || order(a.method, b.method));
}

function infoOf(route: RouteDefinition, around: Surroundings): RouteInfo {
  const { method, pattern, handler, options } = route;
  const { contextPath, strictSlash } = around;
  const types = [...(typeof handler === "function" ? [] : [handler[0]]), ...(options.beans ?? [])];
  const ids = types.map((type) => around.beans?.idOf(type)).filter((id) => id !== undefined);
  const path = joinPatterns(contextPath, pattern);
  const { accept } = options;
  const version = versionOf(contractsOf(route));
  const example = exampleOf(options.example, version);
  const contract = routeContract(route, around.jsonSchemaOf);
  return {
    method,
    path,
    pathParams: parsePattern(pattern, strictSlash).names,
    beans: [...new Set(ids)],
    ...(version === undefined ? {} : { version: version.name }),
    ...(accept === undefined ? {} : { accept }),
    ...(example === undefined ? {} : { example: exampleRequest(example) }),
    ...(contract === undefined ? {} : { contract }),
    ...(route.upgrades === true ? { upgrades: true } : {}),
  };
}

/** The example of a version has the header that leads to it. */
function exampleOf(example: RouteExample | undefined, version: ApiVersion | undefined): RouteExample | undefined {
  if (version === undefined) return example;
  const { name, by } = version;
  return { ...example, headers: { ...example?.headers, [by.field]: by.valueOf(name) } };
}
