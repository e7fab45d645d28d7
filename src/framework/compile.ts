/**
 * Compiling: from registered routes and middleware to one ready chain per route, once, at start.
 *
 *   route ──▶ wrap… ▸ use… ▸ group… ▸ route's own ▸ checks ▸ handler
 *   no route ──▶ wrap… ▸ use… ▸ 404 · 405 · automatic OPTIONS · 400
 *
 * Spec: spec/routing.md (ROUTE), spec/query.md (QUERY), spec/middleware.md (MW)
 */
import type { BeanResolver } from "./beans/types.ts";
import type { Context } from "./context.ts";
import { BadRequestError, ContentTooLargeError, HttpError, MethodNotAllowedError, NotFoundError } from "./errors.ts";
import { compose, terminal, type MiddlewareFunction, type Run } from "./pipeline.ts";
import { acceptQueryField, queryCheck } from "./query.ts";
import type { RequestContext } from "./request-context.ts";
import { Router } from "./router.ts";
import type { RouteDefinition } from "./routes.ts";

/** What routing decided: how to prepare the context, and the chain to run. */
export interface Outcome {
  prepare(ctx: RequestContext): void;
  readonly run: Run;
}

/** What compiling takes. */
export interface CompileInput {
  readonly routes: readonly RouteDefinition[];
  /** wrap and use, outermost first. */
  readonly outer: readonly MiddlewareFunction[];
  readonly asFunction: (middleware: NonNullable<RouteDefinition["options"]["use"]>[number]) => MiddlewareFunction;
  readonly beans: BeanResolver | undefined;
  readonly contextPath: string;
  readonly strictSlash: boolean;
  readonly maxBodyBytes: number;
}

const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "QUERY"]);

interface Entry {
  readonly route: string;
  readonly names: readonly string[];
  readonly limit: number;
  readonly acceptQuery: string | undefined;
  readonly run: Run;
}

class Matched implements Outcome {
  readonly #entry: Entry;
  readonly #values: readonly string[];
  readonly run: Run;

  constructor(entry: Entry, values: readonly string[]) {
    this.#entry = entry;
    this.#values = values;
    this.run = entry.run;
  }

  prepare(ctx: RequestContext): void {
    const { route, names, limit, acceptQuery } = this.#entry;
    ctx.route = route;
    ctx.paramNames = names;
    ctx.paramValues = this.#values;
    ctx.bodyLimit = limit;
    if (acceptQuery !== undefined) ctx.head.push("Accept-Query", acceptQuery);
  }
}

/** Routing, compiled. */
export class CompiledRoutes {
  readonly #router: Router<Entry>;
  readonly #miss: (route: string | undefined, acceptQuery: string | undefined, end: (ctx: Context) => unknown) => Outcome;

  /** @throws when a bean handler's bean is missing or has no such method, and when a pattern is bad or taken. */
  constructor(input: CompileInput) {
    this.#router = new Router(input.strictSlash);
    const accepts = acceptQueryFields(input.routes);
    for (const route of input.routes) {
      const names: string[] = [];
      const entry: Entry = {
        route: input.contextPath === "/" ? route.pattern : joinContext(input.contextPath, route.pattern),
        names,
        limit: route.options.maxBodyBytes ?? input.maxBodyBytes,
        acceptQuery: accepts.get(route.pattern),
        run: chainOf(route, input),
      };
      names.push(...this.#router.add(route.method, route.pattern, entry).names);
    }
    const { outer } = input;
    this.#miss = (route, acceptQuery, end) => ({
      prepare(ctx) {
        ctx.route = route;
        if (acceptQuery !== undefined) ctx.head.push("Accept-Query", acceptQuery);
      },
      run: compose(outer, terminal(end)),
    });
  }

  /** What to do with a request. `path` undefined: outside the context path; `routed` undefined: not routable. */
  outcomeOf(method: string, path: string | undefined, routed: string | undefined): Outcome {
    if (path === undefined) return this.#miss(undefined, undefined, notFound);
    if (routed === undefined) return this.#miss(undefined, undefined, badPath);
    const found = this.#router.find(method, routed) ?? (method === "HEAD" ? this.#router.find("GET", routed) : undefined);
    if (found !== undefined) return new Matched(found.target, found.values);
    const methods = this.#router.methodsOf(routed);
    if (methods.length === 0) return this.#miss(undefined, undefined, notFound);
    const known = this.#router.find(methods[0] ?? "", routed)?.target;
    const allow = [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort().join(", ");
    if (method === "OPTIONS") return this.#miss(known?.route, known?.acceptQuery, optionsAnswer(allow));
    return this.#miss(undefined, known?.acceptQuery, methodNotAllowed(allow));
  }
}

/** Marks an error as the router's own: an answer, not something that was thrown. */
const routerErrors: WeakSet<HttpError> = new WeakSet();

/** Did the router make this error (404, 405, a path that cannot be routed)? */
export const isRouterError = (error: unknown): boolean => error instanceof HttpError && routerErrors.has(error);

/** Did nothing at all match? Then a host, where there is one, owns the request. */
export const isNotFound = (error: unknown): boolean => error instanceof NotFoundError && routerErrors.has(error);

function raise(error: HttpError): never {
  routerErrors.add(error);
  throw error;
}

const notFound = (ctx: Context): never => raise(new NotFoundError(`nothing is registered at ${ctx.path === "" ? ctx.url : ctx.path}`));

const badPath = (): never => raise(new BadRequestError("the path holds a malformed percent-escape or a dot segment"));

const methodNotAllowed = (allow: string) => (): never => raise(new MethodNotAllowedError(allow));

const optionsAnswer = (allow: string) => (ctx: Context): void => {
  ctx.status(204).header("Allow", allow);
};

function chainOf(route: RouteDefinition, input: CompileInput): Run {
  const middleware = [
    ...input.outer,
    ...route.scopes.flatMap(scope => scope.middleware),
    ...(route.options.use ?? []).map(input.asFunction),
  ];
  const handler = handlerOf(route, input.beans);
  const check = route.method === "QUERY" ? queryCheck(route.options.accept) : undefined;
  const limit = route.options.maxBodyBytes ?? input.maxBodyBytes;
  const checked = !withBody.has(route.method)
    ? handler
    : function checkAndHandle(ctx: Context): unknown {
        if (Number(ctx.header("content-length")) > limit) throw new ContentTooLargeError(limit);
        check?.(ctx);
        return handler(ctx);
      };
  return compose(middleware, terminal(checked));
}

function handlerOf(route: RouteDefinition, beans: BeanResolver | undefined): (ctx: Context) => unknown {
  const { handler, method, pattern } = route;
  if (typeof handler === "function") return handler;
  const [type, name] = handler;
  const where = `${method} ${pattern} is handled by [${type.name}, ${JSON.stringify(String(name))}]`;
  if (beans === undefined) throw new Error(`${where}, but no beans are attached: call app.beans(beans) before app.start()`);
  const bean: object = beans.get(type);
  if (typeof Reflect.get(bean, name) !== "function") throw new TypeError(`${where}, but ${type.name} has no method of that name`);
  return function callBean(ctx) {
    const call: (ctx: Context) => unknown = Reflect.get(bean, name);
    return call.call(bean, ctx);
  };
}

/** `Accept-Query` of every path that has a QUERY route with `accept`: all responses of that path carry it. */
function acceptQueryFields(routes: readonly RouteDefinition[]): ReadonlyMap<string, string> {
  return new Map(
    routes.flatMap(({ method, pattern, options }) =>
      method === "QUERY" && options.accept !== undefined ? [[pattern, acceptQueryField(options.accept)] as const] : [],
    ),
  );
}

const joinContext = (contextPath: string, pattern: string): string => (pattern === "/" ? contextPath : contextPath + pattern);
