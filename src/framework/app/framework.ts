/**
 * Framework: the application. Configure it, start it, stop it.
 *
 *   create ──▶ routes, middleware, beans ──▶ start ──▶ serving ──▶ stop: drain, then close
 *                                            (configuration is frozen from here)
 *
 * Spec: spec/routing.md
 */
import type { AsyncBeansBuilder } from "../beans/builder.ts";
import type { Beans } from "../beans/beans.ts";
import type { Class } from "../beans/types.ts";
import { AppMiddleware } from "./app-middleware.ts";
import { Assembly } from "./assembly.ts";
import { compile } from "./compile.ts";
import { checkedPort, configOf, type Config, type FrameworkOptions } from "./config.ts";
import type { ResponseChecks } from "../contract/response-checks.ts";
import type { Context, ResponseHook } from "../http/context.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { EngineHandler, RunningEngine, ServerEngine } from "../http/exchange.ts";
import { fetchHandler, type FetchHandler } from "../engine/fetch/fetch.ts";
import {
  hostedListener,
  hostedUpgradeListener,
  NodeHttpEngine,
  type NodeListener,
  type NodeUpgradeListener,
} from "../engine/node.ts";
import { ErrorMapper } from "../dispatch/error-mapper.ts";
import { defineRenamed } from "../internal/renamed.ts";
import { ignore } from "../internal/thenable.ts";
import { usageError, stateError } from "../internal/usage-errors.ts";
import { checkedPrefix, type Installed } from "../dispatch/installed.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import { declaredRoutes, routeInfos, type RouteInfo } from "./route-info.ts";
import { Router } from "../routing/router.ts";
import {
  checkedHook,
  checkRoute,
  Routes,
  type Place,
  type Registry,
  type RouteDefinition,
  type Scope,
} from "../dispatch/registration.ts";
import type { Plugin, PluginArguments } from "./plugin.ts";
import { Background, type BackgroundWork } from "./background.ts";
import { Listeners } from "./listeners.ts";
import { addObserver, type AppAbout, type AppObserver } from "./observe.ts";
import { renamedOfFramework } from "./renamed.ts";
import { RouteWarnings } from "./route-warnings.ts";
import { Entrance, StartUp } from "./startup.ts";

/** How `app.stop` stops. Times in milliseconds. */
export interface StopOptions {
  /** How long readiness is 503 while everything is still served. Counts before `graceMs`. Default 0. */
  readonly announceMs?: number | undefined;
  /** How long requests in flight are waited for. Default: `shutdownGraceMs` of the options. */
  readonly graceMs?: number | undefined;
}

/** The application. */
export class Framework extends Routes {
  readonly #config: Config;
  readonly #routes: RouteDefinition[] = [];
  readonly #groups: (readonly Scope[])[] = [];
  readonly #checker: Router<true>;
  readonly #wraps: Installed[] = [];
  readonly #uses: Installed[] = [];
  readonly #errors: ErrorMapper;
  readonly #startUp: StartUp = new StartUp(() => this.#expectRunning());
  readonly #background: Background;
  readonly #listeners: Listeners;
  readonly #assembly: Assembly;
  readonly #streams: Set<() => void> = new Set();
  readonly #middleware: AppMiddleware;
  /** What the verbs of the app and its groups write into. */
  readonly #registry: Registry = this.#registryOf((what) => this.#configuring(what));
  /** For plugins: the app is not configured any more while the start waits for them, and they go on. */
  readonly #pluginRegistry: Registry = this.#registryOf((what) => this.#uncompiled(what));
  /** What is done with responses that break their contracts, where the options leave it open. */
  #responseChecks: ResponseChecks = "off";
  readonly #warnings: RouteWarnings;
  #dispatcher: Dispatcher | undefined;
  #entrance: Entrance | undefined;
  #listening: Promise<RunningEngine> | undefined;
  #running: RunningEngine | undefined;
  #started = false;
  /** Set by the call of `stop`: readiness is 503. */
  #stopping: Promise<void> | undefined;
  /** Is what was announced over? From now on streams end. */
  #isClosing = false;
  /** The same app without a socket: `await app.fetch(new Request("http://x/users/7"))`. Bound. */
  readonly fetch: FetchHandler;
  /** What tools read of the app. */
  readonly about: AppAbout;

  static {
    defineRenamed(this.prototype, renamedOfFramework);
  }

  private constructor(config: Config) {
    super();
    this.#config = config;
    this.#checker = new Router(config.strictSlash);
    this.#errors = new ErrorMapper((what, error) => config.logger.error(what, error));
    this.#background = new Background(config.logger);
    this.#warnings = new RouteWarnings(config.logger);
    this.#listeners = new Listeners(config.logger, config.jsonSchemaOf);
    this.#assembly = new Assembly({
      logger: config.logger,
      background: (name, work) => this.#background.begin(name, work),
      onStop: (listener) => void this.#listeners.stop.push(listener),
      expectRunning: () => this.#expectRunning(),
      compile: () => void this.#compiled(),
    });
    const lifecycle = this.#listeners.lifecycle({
      engine: config.engine?.name ?? "node-http",
      strictSlash: config.strictSlash,
      isDraining: () => this.#stopping !== undefined,
      onStart: (listener) => this.#startUp.add(listener),
      wrapBackground: (around) => this.#background.wrap(around),
    });
    this.#middleware = new AppMiddleware(lifecycle);
    this.fetch = fetchHandler(() => this.#hosted());
    const { contextPath, host, logger } = config;
    this.about = {
      contextPath,
      host,
      logger,
      declaredRoutes: () => declaredRoutes(this.#routes, contextPath, this.#listeners.jsonSchemaOf),
      middlewareOf: (type) => this.#middleware.of(type),
      panels: () => this.#assembly.panels(),
    };
  }

  /**
   * A request as `app.fetch` takes it, from less: `await app.request("/users/7", { method: "PUT" })`. A path is one inside
   * the context path, as routes are registered, of `http://localhost`; a URL or a Request is taken as it is.
   */
  async request(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const url = typeof input === "string" && input.startsWith("/") ? `http://localhost${this.#base}${input}` : input;
    return this.fetch(new Request(url, init));
  }

  /** @throws TypeError naming the setting, the value and what is allowed. */
  static create(options: FrameworkOptions = {}): Framework {
    return new Framework(configOf(options));
  }

  /**
   * Middleware for every request, in order of installation; with a prefix, for those at or below it, however they
   * spell their path.
   */
  use(middleware: MiddlewareLike): this;
  use(prefix: string, middleware: MiddlewareLike): this;
  use(first: string | MiddlewareLike, second?: MiddlewareLike): this {
    this.#configuring("app.use");
    if (typeof first === "string") {
      if (second === undefined)
        throw usageError("MIDDLEWARE_INVALID", `app.use(${JSON.stringify(first)}) lacks the middleware`);
      this.#uses.push(this.#install(second, checkedPrefix(first)));
    } else if (second === undefined) this.#uses.push(this.#install(first));
    else throw usageError("MIDDLEWARE_INVALID", "app.use(…) got two middlewares: call it once for each");
    return this;
  }

  /** Middleware outside everything installed with `use`, whenever called. */
  wrap(middleware: MiddlewareLike): this {
    this.#configuring("app.wrap");
    this.#wraps.push(this.#install(middleware));
    return this;
  }

  /** Responds to errors of a class; the nearest class wins. One for `Error` does not catch `HttpError`s. */
  onError<E extends object>(type: Class<E>, handler: (error: E, ctx: Context) => unknown): this {
    this.#configuring("app.onError");
    this.#errors.onClass(type, handler);
    return this;
  }

  /** Renders every error mapped to that status. */
  onStatus(status: number, handler: (ctx: Context) => unknown): this {
    this.#configuring("app.onStatus");
    this.#errors.onStatus(status, handler);
    return this;
  }

  /**
   * Sees the recorded response, of a handler, a middleware or an error, just before it is sent, and may return another
   * `{ status, headers, body }`. Runs in order of registration, behind those of the route's groups. What a hook throws is
   * mapped like any error, and the hooks do not run again. `ctx.sse()` without arguments and what a host responds itself
   * do not come here.
   */
  onResponse(hook: ResponseHook): this {
    this.#configuring("app.onResponse");
    this.#listeners.response.push(checkedHook(hook, "app.onResponse"));
    return this;
  }

  /**
   * Checks responses against their contracts where the options leave it open. `warn` changes no response: the issues are
   * the attribute `contractIssues` of the request, and the log has one line for each route. `enforce` makes a 500 of it.
   */
  checkResponses(checks: ResponseChecks): this {
    this.#configuring("app.checkResponses");
    this.#responseChecks = checks;
    return this;
  }

  /**
   * Attaches beans: `ctx.get(Type)` and `[Type, "method"]` handlers resolve in them, and so do those of plugins. A running
   * container stays the caller's; what plugins bring is started on top of it. A builder is started with the app, together
   * with what they bring, and closed behind the last `onStop` listener.
   */
  beans(beans: Beans | AsyncBeansBuilder): this {
    this.#configuring("app.beans");
    this.#assembly.beans.give(beans);
    return this;
  }

  /**
   * Installs a plugin: `app.plugin(mail, { prefix: "/mail", from: "shop@example.com" })`. Plugins are installed in the order
   * of their calls, at once as long as none is asynchronous; the start waits for the others.
   *
   * @throws TypeError on a name that is taken, a need that is not installed, a bad prefix; Error, naming the plugin, when
   * its `install` throws. What an asynchronous one rejects with is the start's.
   */
  plugin<O extends object>(plugin: Plugin<O>, ...[settings]: PluginArguments<O>): this {
    this.#configuring("app.plugin");
    const place = { registry: this.#pluginRegistry, prefix: "", scopes: [] };
    this.#assembly.install(plugin, settings ?? {}, place);
    return this;
  }

  /**
   * Runs once: when `start` listens, else before the first request of `app.fetch` or `app.listener()`, which waits for it.
   * A failure stops the app and rejects `start`; under the other two such requests get 503, it is logged, and
   * the next request tries that listener again. Under those a listener must not wait for a request to the app itself.
   */
  onStart(listener: () => unknown): this {
    this.#configuring("app.onStart");
    this.#startUp.add(listener);
    return this;
  }

  /** Runs at the end of `stop`, last registered first. */
  onStop(listener: () => unknown): this {
    this.#configuring("app.onStop");
    this.#listeners.stop.push(listener);
    return this;
  }

  /**
   * Runs work that belongs to no request, at once: `app.background("reindex", async (signal) => …)`. `stop` aborts the
   * signal and waits for the work within its grace. An error in it is logged under the name and goes no further.
   */
  background(name: string, work: BackgroundWork): this {
    this.#background.begin(name, work);
    return this;
  }

  /**
   * Registers a tool that watches the app: `app.observe({ log: (entry, ctx) => …, rejected: (request) => … })`. Any members
   * may be given. An observer changes nothing, and what it throws or rejects with is ignored. An event that no observer
   * hears costs nothing.
   *
   * @throws TypeError naming an unknown member, or one that is no function; Error once the app has started.
   */
  observe(observer: AppObserver): this {
    this.#configuring("app.observe");
    addObserver({ startUp: this.#startUp, background: this.#background, listeners: this.#listeners }, observer);
    return this;
  }

  /**
   * Listens, by the engine of the options unless another one is given.
   *
   * @throws (rejects) with a sentence: port in use, a bean handler without its bean, a second start, a stop meanwhile.
   */
  async start(port: number = this.#config.port, engine: ServerEngine | undefined = this.#config.engine): Promise<this> {
    if (this.#started || this.#stopping !== undefined)
      throw stateError("APP_STARTED", "the app was started already: create a new one to start again");
    this.#started = true;
    const { host, limits, timeouts } = this.#config;
    try {
      const preparing = this.#assembly.pending();
      if (preparing !== undefined) await preparing;
      this.#expectRunning();
      const handler = this.#compiled();
      const upgrades = this.#routes.some((route) => route.upgrades === true);
      const chosen = engine ?? new NodeHttpEngine();
      this.#listening = chosen.start({ port: checkedPort(port), host, limits, timeouts, upgrades }, handler);
      this.#running = await this.#listening;
    } catch (error) {
      this.#started = false;
      this.#listening = undefined;
      throw error;
    }
    try {
      this.#expectRunning();
      await this.#startUp.run();
    } catch (error) {
      await this.stop({ graceMs: 0 }).catch((late: unknown) => this.#config.logger.error("app.stop failed", late));
      throw error;
    }
    return this;
  }

  /**
   * Runs what `onStart` registered, unless it has run or runs, and waits for it: before the first request of a host, or
   * in a test. Configures no more. @throws (rejects) with a listener's own error; the next call tries it again.
   */
  async ready(): Promise<this> {
    const preparing = this.#assembly.pending();
    if (preparing !== undefined) await preparing;
    this.#compiled();
    await this.#listening;
    await this.#startUp.run();
    return this;
  }

  /**
   * Takes no new request; waits for those in flight and for beans that are being built, `graceMs` at most. With
   * `announceMs`, readiness turns 503 at once, and everything is served for that long before: a load balancer notices, and
   * sends its requests elsewhere. A second call changes nothing, and gives the promise of the first.
   *
   * @throws (rejects) AggregateError of what did not close well.
   */
  stop(options: StopOptions = {}): Promise<void> {
    return (this.#stopping ??= this.#stop(options));
  }

  /** The same app inside node:http, Express, Connect or Fastify: `http.createServer(app.listener())`. */
  listener(): NodeListener {
    return hostedListener(() => this.#hosted());
  }

  /**
   * The WebSockets of the same app on a host's server: `server.on("upgrade", app.upgradeListener())`. Where nothing is
   * registered at its path, a request goes to `next` if there is one.
   */
  upgradeListener(): NodeUpgradeListener {
    return hostedUpgradeListener(() => this.#hosted());
  }

  /** The container that beans are resolved in: the one that `beans` was given; from the start on with those of plugins. */
  get container(): Beans | undefined {
    return this.#assembly.beans.running;
  }

  /** The port that is listened on. @throws Error before `start`. */
  get port(): number {
    if (this.#running === undefined) throw stateError("APP_NOT_STARTED", "the app has no port before app.start()");
    return this.#running.port;
  }

  /** Base URL with the context path, e.g. `http://localhost:8080/shop`; `https:` over TLS. @throws Error before `start`. */
  get url(): string {
    const { host = this.#config.host, secure = false } = this.#running ?? {};
    return `${secure ? "https" : "http"}://${hostOf(host)}:${this.port}${this.#base}`;
  }

  /** The context path as a prefix. */
  get #base(): string {
    return this.#config.contextPath === "/" ? "" : this.#config.contextPath;
  }

  /** The registered routes, sorted by path, then method. */
  routes(): RouteInfo[] {
    const { container: beans } = this;
    return routeInfos(this.#routes, { ...this.#config, beans, jsonSchemaOf: this.#listeners.jsonSchemaOf });
  }

  protected override place(): Place {
    return { registry: this.#registry, prefix: "", scopes: [] };
  }

  #registryOf(configuring: (what: string) => void): Registry {
    return {
      addRoute: (route) => {
        configuring(`app.${route.method.toLowerCase()}`);
        this.#addRoute(route);
      },
      addGroup: (scopes) => void this.#groups.push(scopes),
      install: (middleware) => this.#install(middleware),
      onStart: (listener) => this.#startUp.add(listener),
      onStop: (listener) => void this.#listeners.stop.push(listener),
      configuring,
    };
  }

  #addRoute(route: RouteDefinition): void {
    checkRoute(route);
    const { text } = this.#checker.add(route.method, route.pattern, true);
    this.#routes.push({ ...route, pattern: text });
  }

  #install(middleware: MiddlewareLike, prefix?: string): Installed {
    this.#uncompiled("app.use");
    return this.#middleware.install(middleware, prefix);
  }

  /** @throws Error once the app has started. */
  #configuring(what: string): void {
    if (this.#assembly.hasBegun) this.#tooLate(what);
    this.#uncompiled(what);
  }

  #uncompiled(what: string): void {
    if (this.#dispatcher !== undefined) this.#tooLate(what);
  }

  /** @throws Error once the app was stopped. */
  #expectRunning(): void {
    if (this.#stopping !== undefined)
      throw stateError("APP_STOPPED", "the app was stopped before its start was over: create a new one");
  }

  #tooLate(what: string): never {
    throw stateError("APP_STARTED", `${what}() came after the app was started: configure first, then start`);
  }

  #compiled(): Dispatcher {
    return (this.#dispatcher ??= compile({
      config: this.#config,
      checks: this.#config.responseChecks ?? this.#responseChecks,
      routes: this.#routes,
      groups: this.#groups,
      outer: [...this.#wraps, ...this.#uses],
      install: (middleware) => this.#install(middleware),
      beans: this.container,
      errors: this.#errors,
      listeners: this.#listeners,
      background: this.#background,
      warnings: this.#warnings,
      streams: this.#streams,
      isStopping: () => this.#isClosing,
    }));
  }

  /** Where the requests of `fetch` and `listener` go. */
  #hosted(): EngineHandler {
    if (this.#dispatcher !== undefined || this.#assembly.pending() === undefined) {
      const dispatcher = this.#compiled();
      if (this.#startUp.isOver || (this.#started && this.#stopping === undefined)) return dispatcher;
    }
    const { warn, error } = this.#config.logger;
    return (this.#entrance ??= new Entrance({
      inside: () => this.#compiled(),
      ready: () => this.ready(),
      rejected: (request) => this.#listeners.tellRejected(request),
      isCompiled: () => this.#dispatcher !== undefined,
      warn,
      error,
    }));
  }

  async #stop({ announceMs = 0, graceMs: given = this.#config.shutdownGraceMs }: StopOptions): Promise<void> {
    // Nobody asks an app that serves nothing.
    if (announceMs > 0 && this.#dispatcher !== undefined)
      await new Promise((resolve) => setTimeout(resolve, Math.min(announceMs, longestMs)));
    this.#isClosing = true;
    const graceMs = Math.min(given, longestMs);
    const deadline = performance.now() + graceMs;
    const left = (): number => Math.max(0, deadline - performance.now());
    this.#background.abort();
    const steps = [
      ...this.#streams,
      async () => (this.#running ?? (await this.#listening?.catch(ignore)))?.stop(graceMs),
      () => this.#background.settled(left()),
      () => this.#assembly.settled(left()),
    ];
    const failures = await this.#listeners.runStop(steps, () => this.#assembly.beans.close());
    if (failures.length > 0) throw new AggregateError(failures, "the app stopped, but not everything closed well");
  }
}

/** The longest time that a timer takes. */
const longestMs = 2 ** 31 - 1;

/** An address that is listened on, as a URL names it. */
function hostOf(address: string | undefined): string {
  if (address === undefined || address === "0.0.0.0" || address === "::") return "localhost";
  return address.includes(":") ? `[${address}]` : address;
}
