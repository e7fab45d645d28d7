/**
 * Compiling: turns registered routes and middleware into one chain per route, once, at the start.
 *
 *   route ──▶ wrap… ▸ use… ▸ group… ▸ route's own ▸ checks ▸ handler
 *   another method ──▶ wrap… ▸ use… ▸ middleware of the routes of that path ▸ 405 · automatic OPTIONS
 *   no route ──▶ wrap… ▸ use… ▸ `unmatched` middleware of groups ▸ 404 · 400
 *
 * A path with an encoded slash or an empty segment can match a route that its plain spelling does not. A `*name` accepts it
 * only when it accepts the plain one. A `{name}` rejects it when the plain one is a route with middleware that this route does
 * not have. So no spelling reaches a handler past another group's middleware.
 *
 * Spec: spec/routing.md, spec/query.md, spec/middleware.md
 */
import { BeanError } from "../beans/errors.ts";
import type { BeanResolver, BeanType } from "../beans/types.ts";
import { noMeta, type RouteMeta } from "../contract/contract.ts";
import type { CompileSerializer } from "../contract/shape.ts";
import { deprecationHeaders, deprecationOf } from "../contract/deprecation.ts";
import { docsOf } from "../contract/docs.ts";
import { type CompileSchema, inputStep } from "../contract/input.ts";
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import type { Context, ResponseHook } from "../http/context.ts";
import type { ErrorHandlers } from "../http/error-handlers.ts";
import type { Flaw } from "../http/exchange.ts";
import {
  BadRequestError,
  HttpError,
  MethodNotAllowedError,
  noBeans,
  noHeaders,
  NotFoundError,
  withoutStack,
  type ProblemIssue,
  type Rejection,
} from "../internal/errors.ts";
import { usageError } from "../internal/usage-errors.ts";
import { isThenable } from "../internal/thenable.ts";
import { layersOf, type Installed } from "./installed.ts";
import { joinPatterns } from "../routing/pattern.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import { compose, seesErrors, type Run } from "./composition.ts";
import { responseCheck } from "./response-checks.ts";
import { acceptQueryField, queryCheck } from "./query.ts";
import { checkUpgrade } from "./upgrade-check.ts";
import { declaredMessages } from "../http/declared-messages.ts";
import {
  type BrokenContract,
  type DeclaredResponses,
  declaredResponses,
  type ResponseChecks,
} from "../http/declared-responses.ts";
import { type PhaseListener, type Step, stepName, timed } from "../http/phases.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { RouteTarget } from "../http/services.ts";
import { Router, type Match } from "../routing/router.ts";
import { acceptOf, contractsOf, type RouteDefinition, type Scope } from "./registration.ts";
import { readablePath } from "../routing/path.ts";
import { chosen, noVersion, versionHook, versionOf, type VersionSelector } from "./versions.ts";

/** The input of compiling. */
export interface CompileInput {
  readonly routes: readonly RouteDefinition[];
  /** The groups, also those without routes, each by its scopes, its own last. */
  readonly groups: readonly (readonly Scope[])[];
  /** wrap and use, outermost first. */
  readonly outer: readonly Installed[];
  readonly install: (middleware: MiddlewareLike) => Installed;
  /** Those of the app. */
  readonly responseHooks: readonly ResponseHook[];
  /** Listeners for the steps of requests. */
  readonly phases: readonly PhaseListener[];
  readonly beans: BeanResolver | undefined;
  readonly contextPath: string;
  readonly strictSlash: boolean;
  readonly maxBodyBytes: number;
  readonly handlerMs: number;
  readonly compileSchema: CompileSchema | undefined;
  readonly compileSerializer: CompileSerializer | undefined;
  readonly jsonSchemaOf: JsonSchemaOf | undefined;
  /** How long an asynchronous schema may take, in milliseconds. */
  readonly requestMs: number;
  /** How deeply the JSON of a message may be nested. */
  readonly jsonDepth: number;
  readonly responseChecks: ResponseChecks;
  readonly broken: BrokenContract;
  /** Responds to a rejection immediately. False when it must be thrown. */
  readonly reject: (ctx: RequestContext, rejection: Rejection) => boolean;
}

/** The chain that a request runs through. */
type Chain = Run<RequestContext>;

const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "QUERY"]);

interface Entry extends RouteTarget {
  readonly run: Chain;
  readonly route: string;
  readonly acceptQuery: string | undefined;
  /** Ends in `*name`. */
  readonly isWild: boolean;
  /** Its groups that have middleware, and its own middleware. */
  readonly guards: readonly unknown[];
  /** The same, of all of its versions. */
  readonly allGuards: readonly unknown[];
  /** All of that, outermost first. */
  readonly inner: readonly Installed[];
}

/**
 * The chain of requests that the router rejects, after the app's middleware and `inner`. An error is thrown only if some
 * middleware can see it.
 */
function rejecting(
  { outer, reject, phases }: CompileInput,
  rejection: (ctx: Context) => Rejection,
  inner: readonly Installed[] = [],
): Chain {
  const layers = layersOf([...outer, ...inner]);
  const isSeen = layers.some(seesErrors);
  const run: Chain = (ctx) => {
    const rejected = rejection(ctx);
    if (isSeen || !reject(ctx, rejected)) throw routerError(rejected);
  };
  return compose(layers, run, phases);
}

/** Routing, compiled. */
export class CompiledRoutes {
  readonly #router: Router<Entry>;
  readonly #input: CompileInput;
  /** For unhandled requests. */
  readonly unrouted: RouteTarget;
  readonly #notFound: Chain;
  readonly #badPath: Chain;
  readonly #flawed: Readonly<Record<Flaw, Chain>>;
  /** `OPTIONS *`: all methods that the app accepts. */
  readonly #anywhere: Chain;
  /** Chains that end in 404, 405 or an automatic OPTIONS, by their key. */
  readonly #unmatchedChains: Map<unknown, Map<string, Chain>> = new Map();
  /** The `unmatched` middleware of groups by prefix, or undefined without any. */
  readonly #covers: Router<readonly Installed[]> | undefined;
  readonly #advertises: boolean;

  /** @throws when a bean handler's bean is missing or has no such method, and when a pattern is bad or taken. */
  constructor(input: CompileInput) {
    // All middleware first, because a registration in the app affects every route.
    for (const route of input.routes) route.options.use?.forEach(input.install);
    this.#router = new Router(input.strictSlash);
    this.#input = input;
    this.unrouted = {
      route: undefined,
      names: [],
      bodyLimit: input.maxBodyBytes,
      handlerMs: input.handlerMs,
      responseHooks: hooksOf(input.responseHooks),
      declared: undefined,
      messages: undefined,
      errorHandlers: undefined,
      meta: noMeta,
      isDeprecated: false,
      apiVersion: undefined,
    };
    this.#notFound = rejecting(input, notFound);
    this.#badPath = rejecting(input, badPath);
    this.#flawed = {
      400: rejecting(
        input,
        flawed(400, "one Host is needed, a host with or without a port, and no fragment in the target"),
      ),
      417: rejecting(input, flawed(417, "100-continue is the only expectation that is met here")),
      505: rejecting(input, flawed(505, "this is HTTP/1.1")),
    };
    this.#anywhere = compose(
      layersOf(input.outer),
      serverWideOptions(allowOf(input.routes.map(({ method }) => method))),
      input.phases,
    );
    this.#advertises = input.routes.some((route) => route.method === "QUERY" && acceptOf(route) !== undefined);
    checkOperationIds(input.routes);
    for (const routes of sameRoutes(input.routes)) this.#add(routes);
    this.#covers = coversOf(input.groups);
  }

  /** Adds a route, or those of one method and pattern that differ in their version. */
  #add(routes: readonly [RouteDefinition, ...RouteDefinition[]]): void {
    const [{ method, pattern }] = routes;
    const names: string[] = [];
    const version = versionOf(contractsOf(routes[0]));
    const entry = version === undefined ? this.#entry(routes[0], names) : this.#versioned(routes, version.by, names);
    names.push(...this.#router.add(method, pattern, entry).names);
  }

  /** The entry that leads to one of several versions. Its middleware for other methods is that of all of them. */
  #versioned(routes: readonly RouteDefinition[], by: VersionSelector, names: readonly string[]): Entry {
    const versions = new Map(
      routes.map((route) => [versionOf(contractsOf(route))?.name ?? "", this.#entry(route, names)]),
    );
    const entries = [...versions.values()];
    const [first] = entries as [Entry];
    const rejected = rejecting(this.#input, noVersion(by, [...versions.keys()]));
    const accepted = entries.flatMap(({ acceptQuery }) => acceptQuery?.split(", ") ?? []);
    return {
      ...this.unrouted,
      route: first.route,
      names,
      acceptQuery: accepted.length === 0 ? undefined : [...new Set(accepted)].join(", "),
      isWild: first.isWild,
      guards: first.guards.filter((guard) => entries.every(({ guards }) => guards.includes(guard))),
      allGuards: entries.flatMap(({ allGuards }) => allGuards),
      inner: [...new Set(entries.flatMap(({ inner }) => inner))],
      run(ctx) {
        ctx.vary(by.field);
        const entry = chosen(ctx, by, versions);
        if (entry === undefined) return rejected(ctx);
        ctx.target = entry;
        return entry.run(ctx);
      },
    };
  }

  #entry(route: RouteDefinition, names: readonly string[]): Entry {
    const input = this.#input;
    const { maxBodyBytes, timeoutMs, use = [] } = route.options;
    const accept = acceptOf(route);
    const groups = route.scopes.flatMap(({ middleware }) => middleware);
    const own = use.map(input.install);
    const inner = [...groups, ...own];
    const guards = [...route.scopes.filter(({ middleware }) => middleware.length > 0), ...use];
    const where = `${route.method} ${route.pattern}`;
    const declared = declaredResponses(where, contractsOf(route), input);
    return {
      route: joinPatterns(input.contextPath, route.pattern),
      names,
      bodyLimit: maxBodyBytes ?? input.maxBodyBytes,
      handlerMs: timeoutMs ?? input.handlerMs,
      acceptQuery: route.method === "QUERY" && accept !== undefined ? acceptQueryField(accept) : undefined,
      run: chainOf(route, declared, input, inner),
      declared,
      messages: declaredMessages(where, route.options, input),
      isWild: route.pattern.includes("/*"),
      responseHooks: hooksOf([
        ...responseChecksOf(route, declared, input),
        ...route.scopes.toReversed().flatMap(({ responseHooks }) => responseHooks),
        ...input.responseHooks,
        ...deprecationHook(route),
        ...versionHooks(route),
      ]),
      errorHandlers: errorHandlersOf(route),
      meta: metaOf(route),
      isDeprecated: docsOf(contractsOf(route)).deprecated === true,
      apiVersion: versionOf(contractsOf(route))?.name,
      guards,
      allGuards: guards,
      inner,
    };
  }

  /**
   * Routes a request: sets the route's facts on `ctx` and returns its chain.
   *
   * @param path undefined outside the context path
   * @param routed undefined when it cannot be routed
   */
  route(ctx: RequestContext, path: string | undefined, routed: string | undefined): Chain {
    const { method } = ctx;
    if (method === "OPTIONS" && ctx.exchange.target === "*") return this.#anywhere;
    if (path === undefined) return this.#notFound;
    if (routed === undefined) return this.#badPath;
    const { isPlain } = ctx;
    const found = this.#find(method, routed, isPlain);
    if (this.#advertises) this.#advertise(ctx, method === "QUERY" ? found : this.#find("QUERY", routed, isPlain));
    if (found === undefined) return this.#unmatched(ctx, routed, isPlain);
    const { target, values } = found;
    ctx.target = target;
    ctx.paramValues = values;
    return target.run;
  }

  /** The chain of a request that HTTP rejects: after the app's middleware, the connection closes. */
  flawed(status: Flaw): Chain {
    return this.#flawed[status];
  }

  #advertise(ctx: RequestContext, query: Match<Entry> | undefined): void {
    const field = query?.target.acceptQuery;
    if (field !== undefined) ctx.appendHeader("Accept-Query", field);
  }

  /** The route of a path. HEAD has that of GET unless it has its own. */
  #find(method: string, routed: string, isPlain: boolean): Match<Entry> | undefined {
    const found = this.#router.find(method, routed);
    if (found === undefined) return method === "HEAD" ? this.#find("GET", routed, isPlain) : undefined;
    const { target } = found;
    if (isPlain && !(target.isWild && routed.indexOf("//") >= 0)) return found;
    const usual = this.#router.find(method, readablePath(routed))?.target;
    if (usual === target) return found;
    const isGuarded = usual?.allGuards.every((guard) => target.guards.includes(guard)) === false;
    return target.isWild || isGuarded ? undefined : found;
  }

  #unmatched(ctx: RequestContext, routed: string, isPlain: boolean): Chain {
    const input = this.#input;
    const here = new Map<string, Match<Entry>>();
    for (const method of this.#router.methods) {
      const found = this.#find(method, routed, isPlain);
      if (found !== undefined) here.set(method, found);
    }
    if (here.size === 0) {
      // Groups do not apply to the host's paths.
      if (this.#covers === undefined || ctx.exchange.pass !== undefined) return this.#notFound;
      const inner = this.#covers.find("", readablePath(routed))?.target;
      if (inner === undefined) return this.#notFound;
      return this.#unmatchedChain(inner, "404", () => rejecting(input, notFound, inner));
    }
    return this.#otherMethod(ctx, here);
  }

  /** The path is known, the method is not. A client that may use none of the methods does not learn them. */
  #otherMethod(ctx: RequestContext, here: ReadonlyMap<string, Match<Entry>>): Chain {
    const input = this.#input;
    const allow = allowOf([...here.keys()]);
    const automatic = ctx.method === "OPTIONS";
    // A preflight is about one method, so the middleware of that method's route responds.
    const asked = automatic ? ctx.header("access-control-request-method") : undefined;
    const closest = closestOf([...here.values()]);
    const meant = asked === "HEAD" && !here.has(asked) ? "GET" : asked;
    const found = here.get(meant ?? "") ?? closest;
    const { names, meta, errorHandlers } = found.target;
    const route = automatic ? closest.target.route : undefined;
    ctx.target = { ...this.unrouted, route, names, meta, errorHandlers };
    ctx.paramValues = found.values;
    const routes = [...new Set([...here.values()].map(({ target }) => target))];
    const key = `${automatic ? "OPTIONS" : "405"} ${asked === undefined} ${allow} ${routes.map(({ route }) => route).join(" ")}`;
    return this.#unmatchedChain(found.target, key, () => {
      const inner = guardsOf(found.target, routes, asked !== undefined);
      return automatic
        ? compose(layersOf([...input.outer, ...inner]), optionsResponse(allow), input.phases)
        : rejecting(input, notAllowed(allow), inner);
    });
  }

  #unmatchedChain(of: unknown, key: string, make: () => Chain): Chain {
    let chains = this.#unmatchedChains.get(of);
    if (chains === undefined) this.#unmatchedChains.set(of, (chains = new Map()));
    let chain = chains.get(key);
    if (chain === undefined) chains.set(key, (chain = make()));
    return chain;
  }
}

/**
 * The middleware before the routes of one path: all of `first`, then that which only the others have. For a preflight, which
 * carries no credentials, CORS comes first.
 */
function guardsOf(first: Entry, routes: readonly Entry[], isPreflight: boolean): readonly Installed[] {
  const guards = [...first.inner];
  for (const one of routes.flatMap(({ inner }) => inner))
    if (!one.unmatched && !guards.some(({ middleware }) => middleware === one.middleware)) guards.push(one);
  if (!isPreflight) return guards;
  return [...guards.filter(({ unmatched }) => unmatched), ...guards.filter(({ unmatched }) => !unmatched)];
}

const hooksOf = (hooks: readonly ResponseHook[]): readonly ResponseHook[] | undefined =>
  hooks.length === 0 ? undefined : hooks;

/** The route's groups that have error handlers now. They are complete after the app was compiled. */
function errorHandlersOf({ scopes }: RouteDefinition): readonly ErrorHandlers[] | undefined {
  const handlers = scopes.map(({ exceptions }) => exceptions).filter(({ isEmpty }) => !isEmpty);
  return handlers.length === 0 ? undefined : handlers.reverse();
}

/** The pattern with the fewest parameters, as the most specific one. */
const closestOf = (found: readonly Match<Entry>[]): Match<Entry> =>
  found.reduce((best, one) => (one.target.names.length < best.target.names.length ? one : best));

/** The middleware of groups for unhandled requests under their prefixes, or undefined without any. */
function coversOf(groups: readonly (readonly Scope[])[]): Router<readonly Installed[]> | undefined {
  const covers = new Map<string, readonly Installed[]>();
  for (const scopes of groups) {
    const layers = scopes.flatMap(({ middleware }) => middleware.filter((one) => one.unmatched));
    if (layers.length === 0) continue;
    const place = placeOf(scopes.at(-1)?.prefix ?? "");
    for (const pattern of place.includes("/*") ? [place] : [place, joinPatterns(place, "/*rest")])
      if (!covers.has(pattern)) covers.set(pattern, layers);
  }
  if (covers.size === 0) return undefined;
  const router = new Router<readonly Installed[]>();
  for (const [pattern, layers] of covers) router.add("", pattern, layers);
  return router;
}

/** A group's prefix with parameters named by position, because two groups may name those of one prefix differently. */
function placeOf(prefix: string): string {
  const named = prefix.split("/").map((segment, index) => {
    if (segment.startsWith("*")) return "*rest";
    return segment.startsWith("{") ? `{_${index}}` : segment;
  });
  return joinPatterns(named.join("/"), "/");
}

/** The value of `Allow` for these registered methods. */
const allowOf = (methods: readonly string[]): string =>
  [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort().join(", ");

/** The router's own errors, which are responses and were not thrown by the app. */
const routerErrors: WeakSet<object> = new WeakSet();

/** The router's kind of an error: its 404, which a waiting host takes, or its own 400 or 405. Undefined when the app threw it. */
export function rejectedBy(error: unknown): "not found" | "rejected" | undefined {
  if (!(error instanceof HttpError) || !routerErrors.has(error)) return undefined;
  return error instanceof NotFoundError ? "not found" : "rejected";
}

/**
 * The error of a rejection, marked. It has no stack, because that would show only the framework and costs ten times the
 * response.
 */
function routerError(rejection: Rejection): HttpError {
  const error = withoutStack(() => errorOf(rejection));
  routerErrors.add(error);
  return error;
}

function errorOf({ status, message, headers, code }: Rejection): HttpError {
  if (status === 404) return new NotFoundError(message);
  if (status === 405) return new MethodNotAllowedError(headers["Allow"] ?? "");
  const options = { headers, code };
  return status === 400 ? new BadRequestError(message, options) : new HttpError(status, message, options);
}

const notFound = (ctx: Context): Rejection => {
  const message = `nothing is registered at ${ctx.path === "" ? ctx.url : ctx.path}`;
  return { status: 404, message, headers: noHeaders };
};

const malformed = "the path holds a malformed percent-escape or a dot segment";
const badPath = (): Rejection => ({ status: 400, message: malformed, headers: noHeaders });

const flawed = (status: number, message: string) => (): Rejection => ({
  status,
  message,
  headers: { Connection: "close" },
});

function notAllowed(allow: string): () => Rejection {
  const rejection = new MethodNotAllowedError(allow);
  return () => rejection;
}

const optionsResponse =
  (allow: string) =>
  (ctx: Context): void => {
    ctx.status(204).setHeader("Allow", allow);
  };

/** If there is a host, it responds for the server as a whole. */
function serverWideOptions(allow: string): Chain {
  const response = optionsResponse(allow);
  return (ctx) => {
    if (ctx.exchange.pass !== undefined) throw routerError(notFound(ctx));
    response(ctx);
  };
}

/** @throws TypeError when two routes have one operationId, because documents and clients could not distinguish them. */
function checkOperationIds(routes: readonly RouteDefinition[]): void {
  const first = new Map<string, string>();
  for (const { method, pattern, options } of routes) {
    const { operationId } = options;
    if (operationId === undefined) continue;
    const other = first.get(operationId);
    if (other !== undefined)
      throw usageError(
        "CONTRACT_INVALID",
        `${other} and ${method} ${pattern} have the operationId ${JSON.stringify(operationId)}: each route has its own`,
      );
    first.set(operationId, `${method} ${pattern}`);
  }
}

function metaOf(route: RouteDefinition): RouteMeta {
  const declared = contractsOf(route).flatMap(({ meta }) => meta ?? []);
  return declared.length === 0 ? noMeta : Object.freeze(Object.assign({}, ...declared));
}

/** The hook that checks the sent responses of a route, for `warn` and `enforce`. */
function responseChecksOf(
  route: RouteDefinition,
  declared: DeclaredResponses | undefined,
  input: CompileInput,
): readonly ResponseHook[] {
  const { broken, responseChecks } = input;
  if (declared === undefined || (responseChecks !== "warn" && responseChecks !== "enforce")) return [];
  const check = responseCheck(`${route.method} ${route.pattern}`, contractsOf(route), declared, input);
  const tell = (ctx: Context, issues: readonly ProblemIssue[]): void => {
    if (issues.length > 0) broken(ctx, issues, responseChecks === "enforce");
  };
  return [
    function checkResponse(ctx, { status, body }) {
      const issues = check({ status, contentType: ctx.responseHeader("content-type"), body });
      if (isThenable(issues)) return issues.then((late) => tell(ctx, late));
      return tell(ctx, issues);
    },
  ];
}

/** Adds the headers of a deprecation with dates to every response of a route. */
function deprecationHook(route: RouteDefinition): readonly ResponseHook[] {
  const deprecation = deprecationOf(contractsOf(route));
  if (deprecation === undefined) return [];
  const fields = deprecationHeaders(deprecation);
  return [(_ctx, response) => ({ ...response, headers: [...response.headers, ...fields] })];
}

/** Names the version in the responses of a route that has one. */
function versionHooks(route: RouteDefinition): readonly ResponseHook[] {
  const version = versionOf(contractsOf(route));
  return version === undefined ? [] : [versionHook(version)];
}

/** The routes by method and pattern. Only versions of one route share them. */
function sameRoutes(routes: readonly RouteDefinition[]): Iterable<[RouteDefinition, ...RouteDefinition[]]> {
  const same = new Map<string, [RouteDefinition, ...RouteDefinition[]]>();
  for (const route of routes) {
    const key = `${route.method} ${route.pattern}`;
    const known = same.get(key);
    if (known === undefined) same.set(key, [route]);
    else known.push(route);
  }
  return same.values();
}

/** The innermost part of a chain, and the step that its time is reported as. */
interface Innermost {
  readonly run: Chain;
  readonly step: Step;
}

/** The handler after its contract's declared input was read. */
function contracted(route: RouteDefinition, declared: DeclaredResponses | undefined, input: CompileInput): Innermost {
  const handler = handlerOf(route, input.beans);
  const step: Step = { kind: "handler", name: handlerName(route), of: undefined };
  const where = `${route.method} ${route.pattern}`;
  const around = inputStep(where, contractsOf(route), input, declared?.hasEvents);
  if (around === undefined) return { run: handler, step };
  const inside = input.phases.length === 0 ? handler : timed(handler, step, input.phases);
  return { run: around<RequestContext>(inside), step: { kind: "parsing", name: "contract", of: undefined } };
}

function handlerName({ handler }: RouteDefinition): string {
  if (typeof handler === "function") return stepName(handler);
  const [type, name] = handler;
  return `${type.name}.${String(name)}`;
}

function chainOf(
  route: RouteDefinition,
  declared: DeclaredResponses | undefined,
  input: CompileInput,
  inner: readonly Installed[],
): Chain {
  const { run: own, step } = contracted(route, declared, input);
  const handler = route.upgrades === true ? upgrading(own) : own;
  const check = route.method === "QUERY" ? queryCheck(acceptOf(route)) : undefined;
  const checked = !withBody.has(route.method)
    ? handler
    : function checkAndHandle(ctx: RequestContext): unknown {
        ctx.requestBody.check();
        check?.(ctx);
        return handler(ctx);
      };
  return compose<RequestContext>(layersOf([...input.outer, ...inner]), checked, input.phases, step);
}

/** Reads the contract and handles, for upgrade requests only. */
const upgrading =
  (handler: Chain): Chain =>
  (ctx) => {
    checkUpgrade(ctx);
    return handler(ctx);
  };

function handlerOf(route: RouteDefinition, beans: BeanResolver | undefined): (ctx: Context) => unknown {
  const { handler, method, pattern } = route;
  if (typeof handler === "function") return handler;
  const [type, name] = handler;
  const where = `${method} ${pattern} is handled by [${type.name}, ${JSON.stringify(String(name))}]`;
  if (beans === undefined) throw noBeans(`${where}, but `);
  const bean = beanOf(type, beans, `${method} ${pattern} [${type.name}, ${JSON.stringify(String(name))}]`);
  if (typeof Reflect.get(bean, name) !== "function")
    throw usageError("ROUTE_HANDLER", `${where}, but ${type.name} has no method of that name`);
  return function callBean(ctx) {
    const call: (ctx: Context) => unknown = Reflect.get(bean, name);
    return call.call(bean, ctx);
  };
}

/** The handler's bean. @throws BeanError with the route in front of its chain */
function beanOf(type: BeanType<object>, beans: BeanResolver, route: string): object {
  try {
    return beans.get(type);
  } catch (error) {
    if (!(error instanceof BeanError)) throw error;
    throw new BeanError(error.code, [route, ...error.chain], error.sentence, error.cause);
  }
}
