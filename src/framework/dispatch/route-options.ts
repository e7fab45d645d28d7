/**
 * The options of routes and groups, and their checks at registration.
 *
 * Spec: spec/routing.md
 */
import type { BeanType } from "../beans/types.ts";
import { checkContract, type Contract, type RouteDocs } from "../contract/contract.ts";
import type { ResponseBody } from "../contract/declared-body.ts";
import { checkDeprecation } from "../contract/deprecation.ts";
import type { Schema } from "../contract/schema.ts";
import { unknownName } from "../internal/option-names.ts";
import { didYouMean } from "../internal/suggestion.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import { checkAccept } from "./query.ts";
import { checkExample, type RouteExample } from "./route-example.ts";
import { type ApiVersion, checkVersion } from "./versions.ts";

/** Options of a route: its contract, its documentation, and its behaviour. They go between path and handler. */
export interface RouteOptions extends Contract, RouteDocs {
  /** Media types that a QUERY route accepts, sent as `Accept-Query`. By default any type, or the type of the contract's body. */
  readonly accept?: readonly string[] | undefined;
  /** Its version, where routes of one path differ in it: what `apiVersions({ header: "API-Version" })("1")` returns. */
  readonly version?: ApiVersion | undefined;
  /** Overrides the app's limit for this route. */
  readonly maxBodyBytes?: number | undefined;
  /** Overrides the app's `timeouts.handlerMs` for this route, in milliseconds. 0 removes it. */
  readonly timeoutMs?: number | undefined;
  /** Beans that a closure adds to the graph. */
  readonly beans?: readonly BeanType<object>[] | undefined;
  /** Middleware of this route alone. */
  readonly use?: readonly MiddlewareLike[] | undefined;
  /** A request that this route accepts, for tools to fill in. */
  readonly example?: RouteExample | undefined;
}

/** The options of a route with declared events or rows. */
export interface YieldingOptions extends RouteOptions {
  readonly responses: { readonly 200: ResponseBody<unknown, "events" | "stream"> };
}

/** The options of a WebSocket route with declared messages. */
export type MessageOptions = RouteOptions & ({ readonly incoming: Schema } | { readonly outgoing: Schema });

/** Options shared by the routes of a group. Each route also has its own. */
export type SharedOptions = Pick<
  RouteOptions,
  "query" | "headers" | "cookies" | "responses" | "tags" | "security" | "meta" | "deprecated" | "version" | "tool"
>;

const sharedNames = [
  "query",
  "headers",
  "cookies",
  "responses",
  "tags",
  "security",
  "meta",
  "deprecated",
  "version",
  "tool",
] as const;
const optionNames: readonly string[] = [
  "params",
  "query",
  "headers",
  "cookies",
  "body",
  "responses",
  "incoming",
  "outgoing",
  "operationId",
  "summary",
  "description",
  "tags",
  "deprecated",
  "version",
  "security",
  "meta",
  "tool",
  "accept",
  "maxBodyBytes",
  "timeoutMs",
  "beans",
  "use",
  "example",
];

/** @throws TypeError when an option does not exist, or is impossible for a route of that method and these parameters. */
export function checkRouteOptions(
  where: string,
  method: string,
  options: RouteOptions,
  parameters: readonly string[],
): void {
  checkNames(where, options, optionNames);
  const { maxBodyBytes = 0, timeoutMs = 0, example } = options;
  // NaN would be no limit, because no body is larger.
  if (!(maxBodyBytes >= 0))
    throw usageError("ROUTE_OPTIONS", `${where} has maxBodyBytes ${maxBodyBytes}: a number from 0 is allowed`);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 0 || timeoutMs >= 2 ** 31)
    throw usageError(
      "ROUTE_OPTIONS",
      `${where} has timeoutMs ${shown(timeoutMs)}: milliseconds from 0 to 2147483647 are allowed`,
    );
  if (example !== undefined) checkExample(where, example, parameters);
  checkContract(where, method, options, parameters);
  checkDeprecation(where, options);
  checkVersion(where, options);
  checkTool(where, options);
  checkAccept(where, options);
}

/** @throws TypeError when an option does not exist. */
export function checkGroupOptions(where: string, options: SharedOptions): void {
  checkNames(where, options, sharedNames);
  checkDeprecation(where, options);
  checkVersion(where, options);
  checkTool(where, options);
}

/** @throws TypeError when it is neither a boolean nor texts by their names. */
function checkTool(where: string, { tool }: Pick<RouteOptions, "tool">): void {
  if (tool === undefined || typeof tool === "boolean") return;
  checkNames(`${where}: its tool`, tool, ["name", "title", "description"]);
  const odd = Object.values(tool).find((text) => text !== undefined && typeof text !== "string");
  if (odd !== undefined) throw usageError("ROUTE_OPTIONS", `${where}: its tool has ${shown(odd)}: texts are allowed`);
}

/** @throws TypeError when it is not an object, or has an unknown option. */
function checkNames(where: string, options: unknown, names: readonly string[]): void {
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  const unknown = isObject ? unknownName(options, names) : "";
  if (unknown === undefined) return;
  const given = isObject ? `the option ${JSON.stringify(unknown)}` : `${shown(options)} for its options`;
  const sentence = `${where} has ${given}: an object of ${names.join(", ")} is allowed`;
  throw usageError("ROUTE_OPTIONS", `${sentence}${didYouMean(unknown, names)}`);
}
