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
import {
  BadRequestError,
  mistake,
  ContentTooLargeError,
  HttpError,
  MethodNotAllowedError,
  noBeans,
  NotFoundError,
  withoutStack,
} from "./errors.ts";
import { joinPatterns } from "./pattern.ts";
import { compose, terminal, type MiddlewareFunction, type Run } from "./pipeline.ts";
import { acceptQueryField, queryCheck } from "./query.ts";
import type { RequestContext } from "./request-context.ts";
import { Router } from "./router.ts";
import type { RouteDefinition } from "./routes.ts";
import { stamps } from "./stamp.ts";

/** What routing decided: how to prepare the context, and the chain to run. */
export interface Outcome {
  prepare(ctx: RequestContext): void;
  readonly run: Run;
  /** How the request fails where no middleware could see it fail: nothing has to be thrown then. */
  readonly failure?: ((ctx: Context) => HttpError) | undefined;
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
  readonly #acceptQuery: string | undefined;
  readonly run: Run;

  constructor(entry: Entry, values: readonly string[], acceptQuery: string | undefined) {
    this.#entry = entry;
    this.#values = values;
    this.#acceptQuery = acceptQuery;
    this.run = entry.run;
  }

  prepare(ctx: RequestContext): void {
    const { route, names, limit } = this.#entry;
    ctx.route = route;
    ctx.paramNames = names;
    ctx.paramValues = this.#values;
    ctx.bodyLimit = limit;
    if (this.#acceptQuery !== undefined) ctx.head.push("Accept-Query", this.#acceptQuery);
  }
}

/** The end of a request that no route answers, behind the app's middleware. */
class Unmatched implements Outcome {
  readonly #route: string | undefined;
  readonly #acceptQuery: string | undefined;
  readonly run: Run;
  readonly failure: ((ctx: Context) => HttpError) | undefined;

  constructor(end: End, route?: string, acceptQuery?: string) {
    this.run = end.run;
    this.failure = end.failure;
    this.#route = route;
    this.#acceptQuery = acceptQuery;
  }

  prepare(ctx: RequestContext): void {
    ctx.route = this.#route;
    if (this.#acceptQuery !== undefined) ctx.head.push("Accept-Query", this.#acceptQuery);
  }
}

/** How requests without a route end: behind the app's middleware, or at once where there is none. */
interface End {
  readonly run: Run;
  readonly failure?: ((ctx: Context) => HttpError) | undefined;
}

function failing(outer: readonly MiddlewareFunction[], make: (ctx: Context) => HttpError): End {
  const failure = (ctx: Context): HttpError => routerError(() => make(ctx));
  const fail = (ctx: Context): never => {
    throw failure(ctx);
  };
  return { run: compose(outer, terminal(fail)), failure: outer.length === 0 ? failure : undefined };
}

/** Routing, compiled. */
export class CompiledRoutes {
  readonly #router: Router<Entry>;
  readonly #outer: readonly MiddlewareFunction[];
  readonly #notFound: Outcome;
  readonly #badPath: Outcome;
  readonly #flawed: Outcome;
  readonly #versionless: Outcome;
  /** Chains that end in 405 or an automatic OPTIONS, by their `Allow`. */
  readonly #ends: Map<string, End> = new Map();
  readonly #advertises: boolean;

  /** @throws when a bean handler's bean is missing or has no such method, and when a pattern is bad or taken. */
  constructor(input: CompileInput) {
    this.#router = new Router(input.strictSlash);
    this.#outer = input.outer;
    this.#notFound = new Unmatched(failing(input.outer, notFound));
    this.#badPath = new Unmatched(failing(input.outer, badPath));
    this.#flawed = new Unmatched(failing(input.outer, flawed(400, "two Hosts, or a fragment in the target")));
    this.#versionless = new Unmatched(failing(input.outer, flawed(505, "this is HTTP/1.1")));
    this.#advertises = input.routes.some(({ method, options }) => method === "QUERY" && options.accept !== undefined);
    for (const route of input.routes) {
      const { accept, maxBodyBytes } = route.options;
      const names: string[] = [];
      const entry: Entry = {
        route: joinPatterns(input.contextPath, route.pattern),
        names,
        limit: maxBodyBytes ?? input.maxBodyBytes,
        acceptQuery: route.method === "QUERY" && accept !== undefined ? acceptQueryField(accept) : undefined,
        run: chainOf(route, input),
      };
      names.push(...this.#router.add(route.method, route.pattern, entry).names);
    }
  }

  /** What to do with a request. `path` undefined: outside the context path; `routed` undefined: not routable. */
  outcomeOf(method: string, path: string | undefined, routed: string | undefined): Outcome {
    if (path === undefined) return this.#notFound;
    if (routed === undefined) return this.#badPath;
    const found =
      this.#router.find(method, routed) ?? (method === "HEAD" ? this.#router.find("GET", routed) : undefined);
    const acceptQuery = this.#advertises ? this.#router.find("QUERY", routed)?.target.acceptQuery : undefined;
    return found === undefined
      ? this.#unmatched(method, routed, acceptQuery)
      : new Matched(found.target, found.values, acceptQuery);
  }

  /** What to do with a request that HTTP refuses: behind the app's middleware, the connection closes. */
  flawed(status: 400 | 505): Outcome {
    return status === 400 ? this.#flawed : this.#versionless;
  }

  #unmatched(method: string, routed: string, acceptQuery: string | undefined): Outcome {
    const methods = this.#router.methodsOf(routed);
    if (methods.length === 0) return this.#notFound;
    const allow = [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort().join(", ");
    const automatic = method === "OPTIONS";
    const key = `${automatic ? "OPTIONS" : "405"} ${allow}`;
    let end = this.#ends.get(key);
    if (end === undefined) {
      end = automatic
        ? { run: compose(this.#outer, terminal(optionsAnswer(allow))) }
        : failing(this.#outer, () => new MethodNotAllowedError(allow));
      this.#ends.set(key, end);
    }
    return new Unmatched(end, automatic ? this.#closest(methods, routed) : undefined, acceptQuery);
  }

  /** The pattern with the fewest parameters among those that match: the one that says most of the path. */
  #closest(methods: readonly string[], routed: string): string | undefined {
    const entries = methods.flatMap((name) => this.#router.find(name, routed)?.target ?? []);
    return entries.reduce<Entry | undefined>(
      (best, entry) => (best === undefined || entry.names.length < best.names.length ? entry : best),
      undefined,
    )?.route;
  }
}

/** Marks an error as the router's own: an answer, not something that was thrown. */
const routerErrors = stamps<true>();

/** Did the router make this error (404, 405, a path that cannot be routed)? */
export const isRouterError = (error: unknown): boolean =>
  error instanceof HttpError && routerErrors.get(error) === true;

/** Did nothing at all match? Then a host, where there is one, owns the request. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof NotFoundError && routerErrors.get(error) === true;

/** What `make` makes, marked. Its stack would show the framework alone and costs ten times the answer. */
function routerError(make: () => HttpError): HttpError {
  const error = withoutStack(make);
  routerErrors.set(error, true);
  return error;
}

const notFound = (ctx: Context): HttpError =>
  new NotFoundError(`nothing is registered at ${ctx.path === "" ? ctx.url : ctx.path}`);

const badPath = (): HttpError => new BadRequestError("the path holds a malformed percent-escape or a dot segment");

const flawed = (status: number, why: string) => (): HttpError =>
  new HttpError(status, why, { headers: { Connection: "close" } });

const optionsAnswer =
  (allow: string) =>
  (ctx: Context): void => {
    ctx.status(204).header("Allow", allow);
  };

function chainOf(route: RouteDefinition, input: CompileInput): Run {
  const middleware = [
    ...input.outer,
    ...route.scopes.flatMap((scope) => scope.middleware),
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
  if (beans === undefined) throw noBeans(`${where}, but `);
  const bean: object = beans.get(type);
  if (typeof Reflect.get(bean, name) !== "function")
    throw mistake("ROUTE_HANDLER", `${where}, but ${type.name} has no method of that name`);
  return function callBean(ctx) {
    const call: (ctx: Context) => unknown = Reflect.get(bean, name);
    return call.call(bean, ctx);
  };
}
