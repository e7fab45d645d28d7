/**
 * Registration: the typed verbs of apps and groups, and the list of routes they fill.
 *
 * Path parameters are typed from the pattern and its groups: `ctx.pathParam("id")` compiles only under `{id}`.
 *
 * Spec: spec/routing.md, spec/query.md
 */
import type { BeanType, Class } from "../beans/types.ts";
import { formType, isForm } from "../contract/json-schema.ts";
import type { Context, ResponseHook, WebSocketContext } from "../http/context.ts";
import { defineRenamed } from "../internal/renamed.ts";
import { usageError } from "../internal/usage-errors.ts";
import { ExceptionHandlers } from "./exception-handlers.ts";
import type { Handler, HandlerOf, MemberName, ParamsOf, YieldingHandler } from "./handler-types.ts";
import type { Installed } from "./installed.ts";
import { joinPatterns, parsePattern } from "../routing/pattern.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import {
  checkGroupOptions,
  checkRouteOptions,
  type RouteOptions,
  type MessageOptions,
  type SharedOptions,
  type YieldingOptions,
} from "./route-options.ts";

/** A registered route, before it is compiled. */
export interface RouteDefinition {
  readonly method: string;
  readonly pattern: string;
  readonly handler: Handler | readonly [BeanType<object>, PropertyKey];
  readonly options: RouteOptions;
  /** The groups it was registered in, outermost first. */
  readonly scopes: readonly Scope[];
  /** Does its connection leave HTTP? */
  readonly upgrades?: boolean | undefined;
}

/** A group: its path, and its own middleware. */
export interface Scope {
  /** Its prefix after those of the outer groups. */
  readonly prefix: string;
  readonly middleware: Installed[];
  readonly responseHooks: ResponseHook[];
  readonly exceptions: ExceptionHandlers;
  /** Options shared by its routes. */
  readonly shared: SharedOptions;
}

/** The place of a registration: its groups and its prefix. */
export interface Place {
  readonly registry: Registry;
  readonly prefix: string;
  /** Outermost first. */
  readonly scopes: readonly Scope[];
}

/** The target of the verbs, that is the app. */
export interface Registry {
  addRoute(route: RouteDefinition): void;
  /** A group by its scopes, its own last. */
  addGroup(scopes: readonly Scope[]): void;
  install(middleware: MiddlewareLike): Installed;
  onStart(listener: () => unknown): void;
  onStop(listener: () => unknown): void;
  /** @throws Error naming the call `what` after the app has started. */
  configuring(what: string): void;
}

/** Arguments after a path: a handler, or options and a handler. */
type Rest = readonly [handler: unknown] | readonly [options: unknown, handler: unknown];

/** The methods that each verb registers a route for. */
const verbs = {
  get: ["GET"],
  post: ["POST"],
  put: ["PUT"],
  patch: ["PATCH"],
  delete: ["DELETE"],
  head: ["HEAD"],
  options: ["OPTIONS"],
  query: ["QUERY"],
  ws: ["GET"],
  any: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"],
} as const;

/**
 * A verb: `app.get(path, handler)` or `app.get(path, options, handler)`. A handler is a function, or `[BeanType, "method"]`.
 * Functions come first, because most routes have one and an editor then never looks at a bean's methods. The last signatures
 * accept both, so the compiler's message speaks of both.
 *
 * `Outer` is the union of the parameter names of the outer groups. `Shared` is the contract that those groups declare.
 *
 * @throws TypeError on a bad or taken pattern, an unknown option, an impossible contract. Error after the app has started.
 */
export interface Verb<Self, Outer extends string, Shared> {
  <P extends string>(path: P, handler: Handler<Outer | ParamsOf<P>, Shared>): Self;
  <P extends string, C extends YieldingOptions, const Y extends object>(
    path: P,
    options: C,
    handler: YieldingHandler<Outer | ParamsOf<P>, Shared & C, Y>,
  ): Self;
  <P extends string, C extends RouteOptions>(
    path: P,
    options: C,
    handler: Handler<Outer | ParamsOf<P>, Shared & C>,
  ): Self;
  <P extends string, T extends object, M extends MemberName<T>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, M, Shared>,
  ): Self;
  <P extends string, C extends RouteOptions, T extends object, M extends MemberName<T>>(
    path: P,
    options: C,
    handler: HandlerOf<Outer | ParamsOf<P>, T, M, Shared & C>,
  ): Self;
}

/** `app.ws`: like a verb, with the handler of `webSocket({ … })`, or a bean's method that returns one. */
export interface WebSocketVerb<Self, Outer extends string, Shared> {
  <P extends string, T extends object, M extends MemberName<T>>(
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, M, Shared>,
  ): Self;
  <P extends string, C extends MessageOptions>(
    path: P,
    options: C,
    handler: (ctx: WebSocketContext<Shared & C, Outer | ParamsOf<P>>) => unknown,
  ): Self;
  <P extends string, C extends RouteOptions, T extends object, M extends MemberName<T>>(
    path: P,
    options: C,
    handler: HandlerOf<Outer | ParamsOf<P>, T, M, Shared & C>,
  ): Self;
}

/** `app.route`: a verb with the method as its first argument. */
export interface AnyVerb<Self, Outer extends string, Shared> {
  <P extends string>(method: string, path: P, handler: Handler<Outer | ParamsOf<P>, Shared>): Self;
  <P extends string, C extends YieldingOptions, const Y extends object>(
    method: string,
    path: P,
    options: C,
    handler: YieldingHandler<Outer | ParamsOf<P>, Shared & C, Y>,
  ): Self;
  <P extends string, C extends RouteOptions>(
    method: string,
    path: P,
    options: C,
    handler: Handler<Outer | ParamsOf<P>, Shared & C>,
  ): Self;
  <P extends string, T extends object, M extends MemberName<T>>(
    method: string,
    path: P,
    handler: HandlerOf<Outer | ParamsOf<P>, T, M, Shared>,
  ): Self;
  <P extends string, C extends RouteOptions, T extends object, M extends MemberName<T>>(
    method: string,
    path: P,
    options: C,
    handler: HandlerOf<Outer | ParamsOf<P>, T, M, Shared & C>,
  ): Self;
}

/** The verbs, and groups of routes. */
export abstract class Routes<Outer extends string = never, Shared = unknown> {
  /** Registers a GET route. HEAD comes with it. */
  declare readonly get: Verb<this, Outer, Shared>;
  /** Registers a POST route. */
  declare readonly post: Verb<this, Outer, Shared>;
  /** Registers a PUT route. */
  declare readonly put: Verb<this, Outer, Shared>;
  /** Registers a PATCH route. */
  declare readonly patch: Verb<this, Outer, Shared>;
  /** Registers a DELETE route. */
  declare readonly delete: Verb<this, Outer, Shared>;
  /** Registers a HEAD route, which replaces the one that comes with GET. */
  declare readonly head: Verb<this, Outer, Shared>;
  /** Registers an OPTIONS route, which replaces the one that every path has. */
  declare readonly options: Verb<this, Outer, Shared>;
  /** Registers a QUERY route (RFC 10008): safe and idempotent like GET, with a body. */
  declare readonly query: Verb<this, Outer, Shared>;
  /** Registers a route for every method, QUERY included. HEAD comes with GET. */
  declare readonly any: Verb<this, Outer, Shared>;
  /** Registers a route for the given method: `app.route("PROPFIND", "/files", handler)`. */
  declare readonly route: AnyVerb<this, Outer, Shared>;
  /**
   * Registers a WebSocket route, with `webSocket({ … })` of `framework/websocket` as its handler. Until the handler runs it is
   * a GET like any other, so middleware and its contract may reject it. Without an upgrade it responds 426.
   */
  declare readonly ws: WebSocketVerb<this, Outer, Shared>;

  static {
    const { prototype } = this;
    const define = (name: string, value: (this: Routes, ...given: never) => Routes): void => {
      Object.defineProperty(value, "name", { value: name });
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    };
    for (const [verb, methods] of Object.entries(verbs))
      define(verb, function (path: string, ...rest: Rest) {
        return this.#add(methods, path, rest, verb === "ws");
      });
    define("route", function (method: string, path: string, ...rest: Rest) {
      return this.#add([method], path, rest);
    });
  }

  /** The place of routes registered here, with the middleware before them. */
  protected abstract place(): Place;

  /**
   * Registers routes under a common prefix, with their own middleware and shared contract parts.
   *
   * @throws TypeError on a bad prefix.
   */
  group<P extends string>(prefix: P, define: (api: Group<Outer | ParamsOf<P>, Shared>) => void): this;
  group<P extends string, S extends SharedOptions>(
    prefix: P,
    shared: S,
    define: (api: Group<Outer | ParamsOf<P>, Shared & S>) => void,
  ): this;
  group(prefix: string, first: SharedOptions | ((api: never) => void), second?: (api: never) => void): this {
    const [shared, define] = typeof first === "function" ? [{}, first] : [first, second];
    const inside = placeBelow(this.place(), prefix, shared);
    if (define === undefined)
      throw usageError(
        "ROUTE_OPTIONS",
        `the group ${JSON.stringify(inside.prefix)} lacks the function that registers its routes`,
      );
    define(new Group(inside) as never);
    return this;
  }

  #add(methods: readonly string[], path: string, rest: Rest, upgrades?: boolean): this {
    const { registry, prefix, scopes } = this.place();
    const pattern = joinPatterns(prefix, path);
    for (const method of methods) {
      const { handler, options } = placed(`${method} ${pattern}`, rest);
      registry.addRoute({ method, pattern, handler, options, scopes, upgrades });
    }
    return this;
  }
}

/** The place of a group or plugin inside another place. @throws TypeError on a bad prefix. */
export function placeBelow({ registry, prefix: outer, scopes }: Place, prefix: string, shared: SharedOptions): Place {
  const joined = joinPatterns(outer, prefix);
  if (joined !== "") parsePattern(joined);
  checkGroupOptions(`the group ${JSON.stringify(joined)}`, shared);
  const own = { middleware: [], responseHooks: [], exceptions: new ExceptionHandlers() };
  const inside = [...scopes, { prefix: joined, ...own, shared }];
  registry.addGroup(inside);
  return { registry, prefix: joined, scopes: inside };
}

/** Options and handler in their positions. @throws TypeError naming the route when they are swapped. */
function placed(where: string, rest: Rest): Pick<RouteDefinition, "handler" | "options"> {
  const [options, handler] = rest.length < 2 ? [{}, rest[0]] : rest;
  if (isHandler(options) && handler !== undefined && !isHandler(handler))
    throw usageError(
      "ROUTE_OPTIONS",
      `${where} has its options behind its handler: (path, options, handler) is the order`,
    );
  return { handler, options } as Pick<RouteDefinition, "handler" | "options">;
}

const isHandler = (value: unknown): boolean => typeof value === "function" || Array.isArray(value);

/**
 * Routes under a prefix. Its middleware runs exactly when the matched route was registered in it. An `unmatched` one also runs
 * for unhandled requests under the prefix.
 */
export class Group<Outer extends string = never, Shared = unknown> extends Routes<Outer, Shared> {
  static {
    defineRenamed(this.prototype, {
      exception: "group.exception(Class, handler) is group.onError(Class, handler) now",
    });
  }

  readonly #place: Place;

  constructor(place: Place) {
    super();
    this.#place = place;
  }

  /** Adds middleware to this group. @throws Error after the app has started. */
  use(middleware: MiddlewareLike): this {
    const { middleware: installed } = this.#scope("use");
    installed.push(this.#place.registry.install(middleware));
    return this;
  }

  /**
   * Sees, and may replace, the response to each request with a route of this group. Runs before the hooks of outer groups and
   * of the app. @throws Error after the app has started.
   */
  onResponse(hook: ResponseHook): this {
    this.#scope("onResponse").responseHooks.push(checkedHook(hook, "group.onResponse"));
    return this;
  }

  /**
   * Responds to errors of a class in requests with a route of this group. The nearest class wins. Called before the handlers of
   * outer groups and of the app, which get the errors that it does not respond to. One for `Error` does not catch `HttpError`s.
   * @throws Error after the app has started.
   */
  onError<E extends object>(type: Class<E>, handler: (error: E, ctx: Context) => unknown): this {
    this.#scope("onError").exceptions.add(type, handler, "group.onError");
    return this;
  }

  /** Like `app.onStart`, in the same order. */
  onStart(listener: () => unknown): this {
    this.#scope("onStart");
    this.#place.registry.onStart(listener);
    return this;
  }

  /** Like `app.onStop`, in the same order. */
  onStop(listener: () => unknown): this {
    this.#scope("onStop");
    this.#place.registry.onStop(listener);
    return this;
  }

  protected override place(): Place {
    return this.#place;
  }

  /** Its own scope. @throws Error, naming the call, after the app has started. */
  #scope(call: string): Scope {
    const { registry, scopes } = this.#place;
    registry.configuring(`group.${call}`);
    const own = scopes.at(-1);
    if (own === undefined) throw new Error("a group lies in its own scope");
    return own;
  }
}

/** @throws TypeError when it is not a function. */
export function checkedHook(hook: ResponseHook, where: string): ResponseHook {
  if (typeof hook === "function") return hook;
  throw usageError(
    "MIDDLEWARE_INVALID",
    `${where} takes a function (ctx, response), not ${hook === null ? "null" : typeof hook}`,
  );
}

/** @throws TypeError when no request could have that method, the handler is missing, or its options are invalid. */
export function checkRoute({ method, pattern, handler, options, upgrades }: RouteDefinition): void {
  if (!/^[A-Z][A-Z0-9!#$%&'*+.^_`|~-]*$/.test(method) || method === "CONNECT") {
    const sentence = `${JSON.stringify(method)} is no method to route: upper-case letters, and not CONNECT`;
    throw usageError("ROUTE_PATTERN", sentence);
  }
  const where = `${method} ${pattern}`;
  if (typeof handler !== "function" && !Array.isArray(handler))
    throw usageError("ROUTE_HANDLER", `${where} has no handler: pass a function or [BeanType, "method"]`);
  const { names } = parsePattern(pattern);
  checkRouteOptions(where, method, options, names);
  if (upgrades !== true && (options.incoming !== undefined || options.outgoing !== undefined))
    throw usageError(
      "ROUTE_OPTIONS",
      `${where} has the messages of a WebSocket: app.ws(path, { incoming, outgoing }, …)`,
    );
}

/** The contracts of a route: those shared by its groups, the outermost first, then its own. */
export const contractsOf = ({ scopes, options }: RouteDefinition): readonly RouteOptions[] => [
  ...scopes.map(({ shared }) => shared),
  options,
];

/** The accepted media types of a QUERY route, from its options, else from its contract's body. */
export const acceptOf = ({ method, options: { accept, body } }: RouteDefinition): readonly string[] | undefined =>
  method !== "QUERY" || accept !== undefined || body === undefined
    ? accept
    : [isForm(body) ? formType(body) : "application/json"];
