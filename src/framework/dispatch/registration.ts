/**
 * Registration: the typed verbs of apps and groups, and the list of routes they fill.
 *
 * Path parameters are typed from the pattern and its groups: `ctx.pathParam("id")` compiles only under `{id}`.
 *
 * Spec: spec/routing.md (ROUTE), spec/query.md (QUERY)
 */
import type { BeanType } from "../beans/types.ts";
import type { Context, ResponseHook } from "../http/context.ts";
import { usageError } from "../internal/errors.ts";
import type { Installed } from "./installed.ts";
import { joinPatterns, parsePattern } from "../routing/pattern.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import { checkExample, type RouteExample } from "./route-example.ts";
import { didYouMean } from "../internal/suggestion.ts";

/** `"id" | "rest"` of `"/a/{id}/*rest"`. */
export type ParamsOf<Path extends string> = string extends Path
  ? string
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | ParamsOf<Rest>
    : Path extends `${string}/*${infer Name}`
      ? Name
      : never;

/** A handler. What it returns is sent, unless it is `undefined` or the context. */
export type Handler<Param extends string = string> = (ctx: Context<Param>) => unknown;

/** The methods of `T` that take a context of these parameters. */
export type HandlerMethod<T, Param extends string = string> = {
  [K in keyof T]: T[K] extends (ctx: Context<Param>) => unknown ? K : never;
}[keyof T];

/** A handler, or `[BeanType, "method"]`: the method of that bean. */
export type HandlerOf<Param extends string, T extends object, K extends HandlerMethod<T, Param>> =
  | Handler<Param>
  | readonly [BeanType<T>, K];

/** Options of a route. */
export interface RouteOptions {
  /** Media types that a QUERY route takes; sent as `Accept-Query`. Any type without it. */
  readonly accept?: readonly string[] | undefined;
  /** Overrides the app's limit for this route. */
  readonly maxBodyBytes?: number | undefined;
  /** Beans that a closure enters the graph by. */
  readonly beans?: readonly BeanType<object>[] | undefined;
  /** Middleware of this route alone. */
  readonly use?: readonly MiddlewareLike[] | undefined;
  /** A request that this route takes, for tools to fill in. */
  readonly example?: RouteExample | undefined;
}

/** A registered route, before it is compiled. */
export interface RouteDefinition {
  readonly method: string;
  readonly pattern: string;
  readonly handler: Handler | readonly [BeanType<object>, PropertyKey];
  readonly options: RouteOptions;
  /** The groups it was registered in, outermost first. */
  readonly scopes: readonly Scope[];
}

/** A group: where it lies, and its own middleware. */
export interface Scope {
  /** Its prefix with those of the groups around it. */
  readonly prefix: string;
  readonly middleware: Installed[];
  readonly responseHooks: ResponseHook[];
}

/** What the verbs write into: the app. */
export interface Registry {
  addRoute(route: RouteDefinition): void;
  install(middleware: MiddlewareLike): Installed;
  /** @throws Error, naming `what` was called, once the app has started. */
  configuring(what: string): void;
}

const anyMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] as const;

/** The verbs. `Outer` is the union of the parameter names of the groups around. */
export abstract class Routes<Outer extends string = never> {
  /** Where routes registered here go, and what stands before them. */
  protected abstract place(): {
    readonly registry: Registry;
    readonly prefix: string;
    readonly scopes: readonly Scope[];
  };

  /** Registers a route. @throws TypeError on a bad or taken pattern, Error after the app has started. */
  route<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    method: string,
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options: RouteOptions = {},
  ): this {
    const { registry, prefix, scopes } = this.place();
    const pattern = joinPatterns(prefix, path);
    registry.addRoute({ method, pattern, handler, options, scopes });
    return this;
  }

  get<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("GET", path, handler, options);
  }

  post<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("POST", path, handler, options);
  }

  put<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("PUT", path, handler, options);
  }

  patch<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("PATCH", path, handler, options);
  }

  delete<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("DELETE", path, handler, options);
  }

  head<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("HEAD", path, handler, options);
  }

  options<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("OPTIONS", path, handler, options);
  }

  /** Registers a QUERY route (RFC 10008): safe and idempotent like GET, with a body. */
  query<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    return this.route("QUERY", path, handler, options);
  }

  /** Registers a route for every method, QUERY included; HEAD comes with GET. */
  any<P extends string, T extends object, K extends HandlerMethod<T, Outer | ParamsOf<P>>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, K>,
    options?: RouteOptions,
  ): this {
    for (const method of anyMethods) this.route(method, path, handler, options);
    return this;
  }

  /** Registers routes under a common prefix, with middleware of their own. @throws TypeError on a bad prefix. */
  group<P extends string>(prefix: P, define: (api: Group<Outer | ParamsOf<P>>) => void): this {
    const { registry, prefix: outer, scopes } = this.place();
    const joined = joinPatterns(outer, prefix);
    if (joined !== "") parsePattern(joined);
    define(new Group(registry, joined, [...scopes, { prefix: joined, middleware: [], responseHooks: [] }]));
    return this;
  }
}

/**
 * Routes under a prefix. Its middleware runs exactly when the matched route was registered in it; one that is
 * `unmatched` also for requests below the prefix that no route handles.
 */
export class Group<Outer extends string = never> extends Routes<Outer> {
  readonly #registry: Registry;
  readonly #prefix: string;
  readonly #scopes: readonly Scope[];

  constructor(registry: Registry, prefix: string, scopes: readonly Scope[]) {
    super();
    this.#registry = registry;
    this.#prefix = prefix;
    this.#scopes = scopes;
  }

  /** Adds middleware to this group. @throws Error after the app has started. */
  use(middleware: MiddlewareLike): this {
    this.#registry.configuring("group.use");
    this.#scopes.at(-1)?.middleware.push(this.#registry.install(middleware));
    return this;
  }

  /**
   * Sees, and may replace, the response to each request whose route was registered in this group. Runs before those of
   * the groups around it and of the app. @throws Error after the app has started.
   */
  onResponse(hook: ResponseHook): this {
    this.#registry.configuring("group.onResponse");
    this.#scopes.at(-1)?.responseHooks.push(checkedHook(hook, "group.onResponse"));
    return this;
  }

  protected override place(): { registry: Registry; prefix: string; scopes: readonly Scope[] } {
    return { registry: this.#registry, prefix: this.#prefix, scopes: this.#scopes };
  }
}

/** @throws TypeError when it is no function. */
export function checkedHook(hook: ResponseHook, where: string): ResponseHook {
  if (typeof hook === "function") return hook;
  throw usageError(
    "MIDDLEWARE_INVALID",
    `${where} takes a function (ctx, response), not ${hook === null ? "null" : typeof hook}`,
  );
}

const optionNames: readonly (keyof RouteOptions)[] = ["accept", "maxBodyBytes", "beans", "use", "example"];

/** @throws TypeError when no request could have that method, nothing handles it, or it has an unknown option. */
export function checkRoute({ method, pattern, handler, options }: RouteDefinition): void {
  if (!/^[A-Z][A-Z0-9!#$%&'*+.^_`|~-]*$/.test(method) || method === "CONNECT") {
    const sentence = `${JSON.stringify(method)} is no method to route: upper-case letters, and not CONNECT`;
    throw usageError("ROUTE_PATTERN", sentence);
  }
  if (typeof handler !== "function" && !Array.isArray(handler)) {
    const sentence = `${method} ${pattern} has no handler: pass a function or [BeanType, "method"]`;
    throw usageError("ROUTE_HANDLER", sentence);
  }
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  const unknown = isObject ? Object.keys(options).find((name) => !isOption(name)) : "";
  if (unknown === undefined) {
    if (options.example !== undefined)
      checkExample(`${method} ${pattern}`, options.example, parsePattern(pattern).names);
    return;
  }
  const given = isObject ? `the option ${JSON.stringify(unknown)}` : `${JSON.stringify(options)} for its options`;
  const sentence = `${method} ${pattern} has ${given}: an object of ${optionNames.join(", ")} is allowed`;
  throw usageError("ROUTE_OPTIONS", `${sentence}${didYouMean(unknown, optionNames)}`);
}

const isOption = (name: string): boolean => optionNames.some((known) => known === name);
