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
import type { Flaw } from "./engine/exchange.ts";
import {
  BadRequestError,
  mistake,
  ContentTooLargeError,
  HttpError,
  MethodNotAllowedError,
  noBeans,
  noHeaders,
  NotFoundError,
  withoutStack,
  type Refusal,
} from "./errors.ts";
import { joinPatterns } from "./pattern.ts";
import { compose, seesErrors, type Layer, type Run } from "./pipeline.ts";
import { acceptQueryField, queryCheck } from "./query.ts";
import { oneType } from "./request.ts";
import type { RequestContext } from "./request-context.ts";
import { Router, type Match } from "./router.ts";
import type { RouteDefinition } from "./routes.ts";
import { stamps } from "./stamp.ts";

/** What compiling takes. */
export interface CompileInput {
  readonly routes: readonly RouteDefinition[];
  /** wrap and use, outermost first. */
  readonly outer: readonly Layer[];
  readonly asLayer: (middleware: NonNullable<RouteDefinition["options"]["use"]>[number]) => Layer;
  readonly beans: BeanResolver | undefined;
  readonly contextPath: string;
  readonly strictSlash: boolean;
  readonly maxBodyBytes: number;
  /** Answers a refusal at once; false where it must be thrown. */
  readonly refuse: (ctx: RequestContext, refusal: Refusal) => boolean;
}

/** What a request runs through. */
type Chain = Run<RequestContext>;

const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "QUERY"]);

interface Entry {
  readonly run: Chain;
  readonly route: string;
  readonly names: readonly string[];
  readonly limit: number;
  readonly acceptQuery: string | undefined;
}

/**
 * The chain of requests that the router refuses: behind the app's middleware. An error is made and thrown only where
 * somebody sees it.
 */
function refusing({ outer, refuse }: CompileInput, refusal: (ctx: Context) => Refusal): Chain {
  const isSeen = outer.some(seesErrors);
  return compose<RequestContext>(outer, (ctx) => {
    const refused = refusal(ctx);
    if (isSeen || !refuse(ctx, refused)) throw routerError(refused);
  });
}

/** Routing, compiled. */
export class CompiledRoutes {
  readonly #router: Router<Entry>;
  readonly #input: CompileInput;
  readonly #notFound: Chain;
  readonly #badPath: Chain;
  readonly #flawed: Readonly<Record<Flaw, Chain>>;
  /** `OPTIONS *`: what the app takes anywhere. */
  readonly #anywhere: Chain;
  /** Chains that end in 405 or an automatic OPTIONS, by their `Allow`. */
  readonly #unmatchedChains: Map<string, Chain> = new Map();
  readonly #advertises: boolean;

  /** @throws when a bean handler's bean is missing or has no such method, and when a pattern is bad or taken. */
  constructor(input: CompileInput) {
    this.#router = new Router(input.strictSlash);
    this.#input = input;
    this.#notFound = refusing(input, notFound);
    this.#badPath = refusing(input, badPath);
    this.#flawed = {
      400: refusing(
        input,
        flawed(400, "one Host is needed, a host with or without a port, and no fragment in the target"),
      ),
      417: refusing(input, flawed(417, "100-continue is the only expectation that is met here")),
      505: refusing(input, flawed(505, "this is HTTP/1.1")),
    };
    this.#anywhere = compose(input.outer, anywhereAnswer(allowOf(input.routes.map(({ method }) => method))));
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

  /**
   * Routes a request: tells `ctx` what is known of its route, and returns its chain.
   *
   * @param path undefined outside the context path
   * @param routed undefined when it cannot be routed
   */
  route(ctx: RequestContext, path: string | undefined, routed: string | undefined): Chain {
    const { method } = ctx;
    if (method === "OPTIONS" && ctx.exchange.target === "*") return this.#anywhere;
    if (path === undefined) return this.#notFound;
    if (routed === undefined) return this.#badPath;
    const found =
      this.#router.find(method, routed) ?? (method === "HEAD" ? this.#router.find("GET", routed) : undefined);
    if (this.#advertises) this.#advertise(ctx, method === "QUERY" ? found : this.#router.find("QUERY", routed));
    if (found === undefined) return this.#unmatched(ctx, routed);
    const { target, values } = found;
    ctx.route = target.route;
    ctx.paramNames = target.names;
    ctx.paramValues = values;
    ctx.bodyLimit = target.limit;
    return target.run;
  }

  /** The chain of a request that HTTP refuses: behind the app's middleware, the connection closes. */
  flawed(status: Flaw): Chain {
    return this.#flawed[status];
  }

  #advertise(ctx: RequestContext, query: Match<Entry> | undefined): void {
    const field = query?.target.acceptQuery;
    if (field !== undefined) ctx.head.push("Accept-Query", field);
  }

  #unmatched(ctx: RequestContext, routed: string): Chain {
    const methods = this.#router.methodsOf(routed, ctx.method);
    if (methods.length === 0) return this.#notFound;
    const allow = allowOf(methods);
    const automatic = ctx.method === "OPTIONS";
    if (automatic) ctx.route = this.#closest(methods, routed);
    const key = `${automatic ? "OPTIONS" : "405"} ${allow}`;
    let chain = this.#unmatchedChains.get(key);
    if (chain === undefined) {
      chain = automatic ? compose(this.#input.outer, optionsAnswer(allow)) : refusing(this.#input, notAllowed(allow));
      this.#unmatchedChains.set(key, chain);
    }
    return chain;
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

/** The value of `Allow` where these methods are registered. */
const allowOf = (methods: readonly string[]): string =>
  [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort().join(", ");

/** Marks an error as the router's own: an answer, not something that was thrown. */
const routerErrors = stamps<true>();

/** Did the router make this error (404, 405, a path that cannot be routed)? */
export const isRouterError = (error: unknown): boolean =>
  error instanceof HttpError && routerErrors.get(error) === true;

/** Did nothing at all match? Then a host, where there is one, owns the request. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof NotFoundError && routerErrors.get(error) === true;

/** The error of a refusal, marked. Its stack would show the framework alone and costs ten times the answer. */
function routerError(refusal: Refusal): HttpError {
  const error = withoutStack(() => errorOf(refusal));
  routerErrors.set(error, true);
  return error;
}

function errorOf({ status, message, headers }: Refusal): HttpError {
  if (status === 404) return new NotFoundError(message);
  if (status === 405) return new MethodNotAllowedError(headers["Allow"] ?? "");
  return status === 400 ? new BadRequestError(message, { headers }) : new HttpError(status, message, { headers });
}

const notFound = (ctx: Context): Refusal => {
  const message = `nothing is registered at ${ctx.path === "" ? ctx.url : ctx.path}`;
  return { status: 404, message, headers: noHeaders };
};

const malformed = "the path holds a malformed percent-escape or a dot segment";
const badPath = (): Refusal => ({ status: 400, message: malformed, headers: noHeaders });

const flawed = (status: number, message: string) => (): Refusal => ({
  status,
  message,
  headers: { Connection: "close" },
});

function notAllowed(allow: string): () => Refusal {
  const refusal = new MethodNotAllowedError(allow);
  return () => refusal;
}

const optionsAnswer =
  (allow: string) =>
  (ctx: Context): void => {
    ctx.status(204).header("Allow", allow);
  };

/** A server as a whole is its host's to speak of, where there is one. */
function anywhereAnswer(allow: string): Chain {
  const answer = optionsAnswer(allow);
  return (ctx) => {
    if (ctx.exchange.pass !== undefined) throw routerError(notFound(ctx));
    answer(ctx);
  };
}

function chainOf(route: RouteDefinition, input: CompileInput): Chain {
  const middleware = [
    ...input.outer,
    ...route.scopes.flatMap((scope) => scope.middleware),
    ...(route.options.use ?? []).map(input.asLayer),
  ];
  const handler = handlerOf(route, input.beans);
  const check = route.method === "QUERY" ? queryCheck(route.options.accept) : undefined;
  const limit = route.options.maxBodyBytes ?? input.maxBodyBytes;
  const checked = !withBody.has(route.method)
    ? handler
    : function checkAndHandle(ctx: RequestContext): unknown {
        if (Number(ctx.header("content-length")) > limit) throw new ContentTooLargeError(limit);
        oneType(ctx.exchange);
        check?.(ctx);
        return handler(ctx);
      };
  return compose<RequestContext>(middleware, checked);
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
