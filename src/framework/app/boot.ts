/**
 * Boot: the states of an app from "configured" to "started", and its stop.
 *
 *   configured ──▶ plugins installed ──▶ their beans and the app's started ──▶ compiled ──▶ listening ──▶ onStart ──▶ started
 *   stop ──▶ announced ──▶ streams, engine, background work, beans being built ──▶ onStop, the last first ──▶ beans closed
 *
 * If no plugin is asynchronous or brings beans, and the beans run already, the start waits for nothing and compiles the app
 * within the call. Failed plugins, beans and routes stay failed, because half of the app is registered then. A failed `onStart`
 * listener is retried by the next caller, and earlier ones do not run again. Until then requests wait.
 *
 * Spec: spec/plugins.md, spec/routing.md
 */
import type { AsyncBeansBuilder, Builder } from "../beans/builder.ts";
import { observedBeans } from "../beans/observed.ts";
import type { Beans, BeanType, Class } from "../beans/types.ts";
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import { Dispatcher, respondUnhandled, type DispatchServices } from "../dispatch/dispatcher.ts";
import { ErrorMapper } from "../dispatch/error-mapper.ts";
import { installed, type Installed } from "../dispatch/installed.ts";
import { checkRoute, contractsOf, type Registry, type RouteDefinition, type Scope } from "../dispatch/registration.ts";
import { CompiledRoutes } from "../dispatch/route-table.ts";
import { fetchHandler, type FetchHandler } from "../engine/fetch/fetch.ts";
import { NodeHttpEngine } from "../engine/node.ts";
import { shownAddress } from "../http/addresses.ts";
import type { ResponseHook } from "../http/context.ts";
import type { EngineHandler, Exchange, RejectedRequest, RunningEngine, ServerEngine } from "../http/exchange.ts";
import { noBeans } from "../internal/errors.ts";
import { inTime } from "../internal/in-time.ts";
import { ignore } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Lifecycle, MiddlewareLike } from "../middleware/types.ts";
import { withoutSlash } from "../routing/router.ts";
import { KnownVersions, versionOf } from "../dispatch/versions.ts";
import { parsePattern } from "../routing/pattern.ts";
import { Router } from "../routing/router.ts";
import { Background, inside } from "./background.ts";
import { checkedPort, type Config } from "./config.ts";
import { Listeners } from "./observe.ts";
import { pluginsOf, type Plugin, type Plugins } from "./plugins.ts";
import { declaredRoutes } from "./route-info.ts";
import { RouteWarnings } from "./route-warnings.ts";
import { type AppJobs, type AppWork, appWork, type WorkEngine, workOf } from "./work.ts";

/** Options of `app.stop`. Times in milliseconds. */
export interface StopOptions {
  /** How long readiness is 503 while everything is still served. Comes before `graceMs`. Default 0. */
  readonly announceMs?: number | undefined;
  /** How long to wait for requests in flight. Default: `shutdownGraceMs` of the options. */
  readonly graceMs?: number | undefined;
}

/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1;
/** After this time one line says that requests wait. */
const patienceMs = 10_000;
const lateListener =
  "requests wait for an app.onStart listener that has not ended for 10 s; one that asks the app itself waits for itself";
const lateAssembly = "requests wait for a plugin or a bean that has not started for 10 s";
const failedListener = "an app.onStart listener failed: its requests get 503, and the next one tries it again";
const failedAssembly = "a plugin, a bean or a route failed: the app cannot start, and its requests get 503";

/** An app: its configuration and its state. Takes the requests that come before it has started. */
export class Boot implements EngineHandler {
  readonly config: Config;
  readonly routes: RouteDefinition[] = [];
  /** Middleware of `wrap`, and of `use`. */
  readonly wraps: Installed[] = [];
  readonly uses: Installed[] = [];
  readonly errors: ErrorMapper;
  readonly background: Background;
  readonly listeners: Listeners = new Listeners();
  readonly responseHooks: ResponseHook[] = [];
  /** The listeners of `app.onStart` that have not run. */
  readonly onStart: (() => unknown)[] = [];
  readonly onStop: (() => unknown)[] = [];
  /** The converter of schemas without JSON Schema: that of the app's options, else the first that a middleware has. */
  jsonSchemaOf: JsonSchemaOf | undefined;
  /** The container that resolves beans, when it runs. */
  container: Beans | undefined;
  running: RunningEngine | undefined;
  /** `app.fetch`. */
  readonly fetch: FetchHandler = fetchHandler(() => this.hosted());
  /** The registry that the verbs of the app and its groups write to. */
  readonly registry: Registry = this.#registryOf((what) => this.configuring(what));
  /** For plugins, which go on registering while the start waits for them and the app accepts no more. */
  readonly #pluginRegistry: Registry = this.#registryOf((what) => this.#uncompiled(what));
  readonly #groups: (readonly Scope[])[] = [];
  readonly #checker: Router<true>;
  readonly #versions = new KnownVersions();
  readonly #middleware: Set<MiddlewareLike> = new Set();
  readonly #lifecycle: Lifecycle;
  readonly #onRoutes: Parameters<Lifecycle["onRoutes"]>[0][] = [];
  readonly #streams: Set<() => void> = new Set();
  /** Set from the first plugin on. */
  #plugins: Plugins | undefined;
  #work: AppWork | undefined;
  #givenBeans: Beans | Builder | undefined;
  /** Beans started here, which are closed here. A running container belongs to the caller. */
  #ownBeans: Beans | undefined;
  #assembling: Promise<void> | undefined;
  #isBuilding = false;
  #isAssembled = false;
  #dispatcher: Dispatcher | undefined;
  #started = false;
  #listening: Promise<RunningEngine> | undefined;
  #starting: Promise<void> | undefined;
  /** Requests before the start wait for this: may they be handled? */
  #opening: Promise<boolean> | undefined;
  /** Set by the call of `stop`. Readiness is then 503. */
  #stopping: Promise<void> | undefined;
  /** Is the announcement over? From now on streams end. */
  #isClosing = false;

  constructor(config: Config) {
    this.config = config;
    this.jsonSchemaOf = config.jsonSchemaOf;
    this.#checker = new Router(config.strictSlash);
    this.errors = new ErrorMapper((what, error) => config.logger.error(what, error));
    this.background = new Background(config.logger, this.listeners.background);
    const isDraining = (): boolean => this.#stopping !== undefined;
    const connections = (): number | undefined => this.running?.connections;
    this.#lifecycle = {
      get draining() {
        return isDraining();
      },
      get connections() {
        return connections();
      },
      engine: config.engine?.name ?? "node-http",
      comparedPath: config.strictSlash ? (path) => path : withoutSlash,
      onStart: (listener) => void this.onStart.push(listener),
      onStop: (listener) => void this.onStop.push(listener),
      onResponse: (hook) => void this.responseHooks.push(hook),
      onRoutes: (listener) => void this.#onRoutes.push(listener),
      onPhase: (listener) => void this.listeners.phase.push(listener),
      onRejected: (listener) => void this.listeners.rejected.push(listener),
      wrapBackground: (around) => void this.listeners.background.push(around),
      wrapSending: (around) => void this.listeners.sending.push(around),
      convertSchemas: (jsonSchemaOf) => void (this.jsonSchemaOf ??= jsonSchemaOf),
      dispatch: (exchange) => this.hosted().handle(exchange),
      wrap: (middleware) => void this.wraps.push(this.install(middleware)),
      fetch: async (request, ...platform) => this.fetch(request, ...platform),
      warn: (line) => config.logger.warn(line),
    };
  }

  /** @throws Error naming the call `what` after the app has begun to start. */
  configuring(what: string): void {
    if (this.#assembling !== undefined) tooLate(what);
    this.#uncompiled(what);
  }

  /** Any middleware in its stored form. Passes the app to it, the first time. @throws TypeError when it is invalid. */
  install(middleware: MiddlewareLike, prefix = "/"): Installed {
    this.#uncompiled("app.use");
    if (typeof middleware === "function") return installed(middleware, prefix);
    if (typeof middleware !== "object" || middleware === null || typeof middleware.handle !== "function")
      throw usageError(
        "MIDDLEWARE_INVALID",
        "a middleware is a function (ctx, next) or has a method handle(ctx, next)",
      );
    if (!this.#middleware.has(middleware)) middleware.installed?.(this.#lifecycle);
    this.#middleware.add(middleware);
    return installed(middleware, prefix);
  }

  /** Middleware of that class, in order of installation. */
  middlewareOf<T extends object>(type: Class<T>): T[] {
    return [...this.#middleware].filter((one) => one instanceof (type as Function)) as object[] as T[];
  }

  /** Installs a plugin. @throws TypeError when it is invalid, and the errors of `app.plugin`. */
  plugin(plugin: Plugin<never>, settings: object): void {
    const make = plugin?.[pluginsOf];
    if (typeof make !== "function") {
      const given = plugin === null ? "null" : typeof plugin;
      throw usageError("PLUGIN_INVALID", `a plugin is what definePlugin({ name, … }) gives, not ${given}`);
    }
    this.#plugins ??= make({
      logger: this.config.logger,
      background: (name, work) => this.background.begin(name, work),
      bean: (type) => this.#bean(type),
      // After the plugin's own listeners, before those of the container's owner below.
      firstBeans: () => this.onStop.push(() => (this.#ownBeans?.below === undefined ? undefined : this.#closeBeans())),
    });
    this.#plugins.add(plugin, settings, { registry: this.#pluginRegistry, prefix: "", scopes: [] });
  }

  /** Installs the jobs of an engine. @throws as `app.work`. */
  giveWork(engine: WorkEngine): void {
    const { background, sending } = this.listeners;
    const work = appWork(engine, this.#work, {
      logger: this.config.logger,
      attempt: (job, run) => inside(background, job.name, run, undefined, job),
      sending: (one, send) => sending.reduceRight<() => unknown>((inner, wrap) => () => wrap(one, inner), send)(),
      beans: () => this.container,
    });
    this.plugin(work.plugin, {});
    if (work.middleware !== undefined) this.wraps.unshift(this.install(work.middleware));
    this.#work = work;
  }

  /** Its jobs. @throws Error (`WORK_INVALID`) without an engine. */
  work(what: string): AppWork {
    this.configuring(what);
    return workOf(this.#work, what);
  }

  /** The facts about its jobs, or undefined without an engine. */
  get jobs(): AppJobs | undefined {
    return this.#work?.facts;
  }

  /** The panels of its plugins. */
  panels(): ReturnType<Plugins["panels"]> {
    return this.#plugins?.panels() ?? [];
  }

  /** Accepts running beans, or a builder of them. @throws Error when others were given before. */
  giveBeans(beans: Beans | AsyncBeansBuilder): void {
    if (this.#givenBeans !== undefined && this.#givenBeans !== beans)
      throw stateError("BEANS_NOT_ATTACHED", "app.beans() was called with another container before");
    if (isBuilder(beans)) this.#givenBeans = beans;
    else if (isContainer(beans)) this.#givenBeans = this.container = beans;
    else throw stateError("BEANS_NOT_ATTACHED", "app.beans() takes what Beans.builder() or its start() gave");
  }

  /** See `app.start`. */
  async start(port: number, engine: ServerEngine | undefined): Promise<void> {
    if (this.#started || this.#stopping !== undefined)
      throw stateError("APP_STARTED", "the app was started already: create a new one to start again");
    this.#started = true;
    const { host, limits, timeouts, logger } = this.config;
    try {
      const assembling = this.#assembled();
      if (assembling !== undefined) await assembling;
      this.#expectRunning();
      const handler = this.#compiled();
      const upgrades = this.routes.some((route) => route.upgrades === true);
      const chosen = engine ?? new NodeHttpEngine();
      this.#listening = chosen.start({ port: checkedPort(port), host, limits, timeouts, upgrades }, handler);
      this.running = await this.#listening;
    } catch (error) {
      this.#started = false;
      this.#listening = undefined;
      throw error;
    }
    try {
      this.#expectRunning();
      await this.#runStart();
    } catch (error) {
      await this.stop({ graceMs: 0 }).catch((late: unknown) => logger.error("app.stop failed", late));
      throw error;
    }
  }

  /** See `app.ready`. */
  async ready(): Promise<void> {
    const assembling = this.#assembled();
    if (assembling !== undefined) await assembling;
    this.#compiled();
    await this.#listening;
    await this.#runStart();
  }

  /** See `app.stop`. */
  stop(options: StopOptions): Promise<void> {
    return (this.#stopping ??= this.#stop(options));
  }

  /** Receives the requests of `fetch` and `listener`. It is this object while they have to wait. */
  hosted(): EngineHandler {
    if (this.#dispatcher === undefined && this.#assembled() !== undefined) return this;
    const dispatcher = this.#compiled();
    const isStarted = this.onStart.length === 0 || (this.#started && this.#stopping === undefined);
    return isStarted ? dispatcher : this;
  }

  /** A request that waits for the start. It is handled after it, or gets 503. */
  handle(exchange: Exchange): void {
    this.#opening ??= this.#open();
    this.#opening
      .then((isOpen) => {
        if (isOpen) this.#compiled().handle(exchange);
        else respondUnhandled(exchange, 503, (request) => this.rejected(request));
      })
      .catch((error: unknown) => {
        this.config.logger.error(`${exchange.method} ${exchange.target} could not be handled`, error);
        exchange.cut();
      });
  }

  /** Reports a request that never became a context. A listener's error is logged. */
  rejected(request: RejectedRequest): void {
    const rejected = { ...request, remoteAddress: shownAddress(request.remoteAddress) };
    for (const listener of this.listeners.rejected) {
      try {
        listener(rejected);
      } catch (error) {
        this.config.logger.error("a listener for rejected requests failed", error);
      }
    }
  }

  #registryOf(configuring: (what: string) => void): Registry {
    return {
      addRoute: (route) => {
        configuring(`app.${route.method.toLowerCase()}`);
        checkRoute(route);
        this.routes.push({ ...route, pattern: this.#checkedPattern(route) });
      },
      addGroup: (scopes) => void this.#groups.push(scopes),
      install: (middleware) => this.install(middleware),
      onStart: (listener) => void this.onStart.push(listener),
      onStop: (listener) => void this.onStop.push(listener),
      configuring,
    };
  }

  /** The canonical pattern. @throws TypeError when the method and the pattern are taken, or that version of them is. */
  #checkedPattern(route: RouteDefinition): string {
    const { method, pattern } = route;
    const version = versionOf(contractsOf(route));
    if (version !== undefined) {
      const { text } = parsePattern(pattern, this.config.strictSlash);
      const isNext = this.#versions.add(`${method} ${text}`, version);
      if (isNext) return text;
    }
    return this.#checker.add(method, pattern, true).text;
  }

  #uncompiled(what: string): void {
    if (this.#dispatcher !== undefined) tooLate(what);
  }

  /** @throws Error after the app was stopped. */
  #expectRunning(): void {
    if (this.#stopping !== undefined)
      throw stateError("APP_STOPPED", "the app was stopped before its start was over: create a new one");
  }

  /** Waits for plugins and beans, or undefined when there is nothing to wait for. Rejects with the first failure. */
  #assembled(): Promise<void> | undefined {
    if (this.#isAssembled) return undefined;
    if (this.#assembling === undefined) {
      const installing = this.#plugins?.settled();
      if (installing === undefined && !this.#needsBeans) return undefined;
      this.#assembling = this.#assemble(installing);
      // Any caller gets the rejection. The app may be stopped before the first one.
      this.#assembling.catch(ignore);
    }
    return this.#assembling;
  }

  async #assemble(installing: Promise<void> | undefined): Promise<void> {
    await installing;
    this.#expectRunning();
    if (this.#needsBeans) await this.#startBeans();
    try {
      this.#expectRunning();
      this.#compiled();
    } catch (error) {
      await this.#closeBeans();
      throw error;
    }
    this.#isAssembled = true;
  }

  get #needsBeans(): boolean {
    return this.#plugins?.haveBeans === true || (this.container === undefined && this.#givenBeans !== undefined);
  }

  /**
   * The beans of a builder and those of plugins share one container, because each may need the others. Over a running container
   * those of plugins get a second one on top. Rejects with a BeanError and leaves nothing open then.
   */
  async #startBeans(): Promise<void> {
    this.#isBuilding = true;
    const given = this.#givenBeans;
    const builder = given !== undefined && isBuilder(given) ? given.copy() : this.#plugins?.builder(given);
    if (builder === undefined) return;
    this.#plugins?.bind(builder);
    this.container = this.#ownBeans = await builder.startAsync();
  }

  /** Closes the beans that were started here, once. */
  async #closeBeans(): Promise<void> {
    const own = this.#ownBeans;
    this.#ownBeans = undefined;
    await own?.close();
  }

  #bean<T extends object>(type: BeanType<T>): T {
    if (this.container !== undefined) return this.container.get(type);
    throw noBeans(`${type.name} was asked for, but before the start there are no beans, or `);
  }

  /** The dispatcher, compiled from the registrations. @throws when they do not fit together. */
  #compiled(): Dispatcher {
    return (this.#dispatcher ??= this.#compile());
  }

  #compile(): Dispatcher {
    const warnings = new RouteWarnings(this.config.logger);
    const routes = this.#compileRoutes(warnings);
    if (this.#onRoutes.length > 0) {
      const declared = declaredRoutes(this.routes, this.config.contextPath, this.jsonSchemaOf);
      for (const listener of this.#onRoutes) listener(declared);
    }
    return new Dispatcher(this.#services(warnings), routes, this.errors);
  }

  #compileRoutes(warnings: RouteWarnings): CompiledRoutes {
    const { contextPath, strictSlash, maxBodyBytes, compileSchema, compileSerializer, responseChecks, timeouts } =
      this.config;
    return new CompiledRoutes({
      routes: this.routes,
      groups: this.#groups,
      outer: [...this.wraps, ...this.uses],
      install: (middleware) => this.install(middleware),
      beans: this.container,
      contextPath,
      strictSlash,
      maxBodyBytes,
      compileSchema,
      compileSerializer,
      requestMs: timeouts.requestMs,
      handlerMs: timeouts.handlerMs,
      responseHooks: this.responseHooks,
      phases: this.listeners.phase,
      jsonSchemaOf: this.jsonSchemaOf,
      responseChecks,
      jsonDepth: this.config.limits.jsonDepth,
      broken: (ctx, issues, isFatal) => warnings.broken(ctx, issues, isFatal),
      reject: (ctx, rejection) => this.errors.reject(ctx, rejection),
    });
  }

  #services(warnings: RouteWarnings): DispatchServices {
    const { contextPath, limits, trustProxy, logger } = this.config;
    const { background, resolve, log, annotation, phase, response } = this.listeners;
    return {
      contextPath,
      limits,
      trustProxy,
      logger,
      streams: this.#streams,
      isStopping: () => this.#isClosing,
      jsonDepth: limits.jsonDepth,
      queryPairs: limits.queryPairs,
      beans: this.container === undefined ? undefined : observedBeans(this.container, resolve),
      onLog: log,
      onAnnotation: annotation,
      onPhase: phase,
      onSent: response,
      around: (name, work, event, ctx) =>
        inside(background, name, work, event && ctx && { event: event.event, data: event.data, ctx }),
      report: (what, error) => logger.error(what, error),
      warnSilent: (ctx) => warnings.silent(ctx),
      warnLost: (ctx, value) => warnings.lost(ctx, value),
      rejected: (request) => this.rejected(request),
    };
  }

  /** Runs the listeners of `onStart` that have not run yet, in order. All callers share one run. */
  #runStart(): Promise<void> {
    return (this.#starting ??= this.#runEach().finally(() => {
      this.#starting = undefined;
    }));
  }

  async #runEach(): Promise<void> {
    for (let [listener] = this.onStart; listener !== undefined; [listener] = this.onStart) {
      this.#expectRunning();
      await inside(this.listeners.start, listener.name, listener);
      this.onStart.shift();
    }
  }

  /** Starts for the waiting requests. Resolves to whether they may be handled. */
  async #open(): Promise<boolean> {
    const { logger } = this.config;
    const isCompiled = (): boolean => this.#dispatcher !== undefined;
    const late = setTimeout(() => logger.warn(isCompiled() ? lateListener : lateAssembly), patienceMs);
    try {
      await this.ready();
      return true;
    } catch (error) {
      logger.error(isCompiled() ? failedListener : failedAssembly, error);
      return false;
    } finally {
      clearTimeout(late);
      this.#opening = undefined;
    }
  }

  async #stop({ announceMs = 0, graceMs: given = this.config.shutdownGraceMs }: StopOptions): Promise<void> {
    // No load balancer checks an app that serves nothing.
    if (announceMs > 0 && this.#dispatcher !== undefined)
      await new Promise((resolve) => setTimeout(resolve, Math.min(announceMs, longestMs)));
    this.#isClosing = true;
    const graceMs = Math.min(given, longestMs);
    const deadline = performance.now() + graceMs;
    const left = (): number => Math.max(0, deadline - performance.now());
    this.background.abort();
    const working = this.#work?.stop(left);
    working?.catch(ignore);
    const failures: unknown[] = [];
    const run = async (steps: readonly (() => unknown)[]): Promise<void> => {
      for (const step of steps)
        try {
          await step();
        } catch (error) {
          failures.push(error);
        }
    };
    await run([
      ...this.#streams,
      async () => (this.running ?? (await this.#listening?.catch(ignore)))?.stop(graceMs),
      () => this.background.settled(left()),
      () => working,
      () => this.#beansBuilt(left()),
    ]);
    await run(this.onStop.toReversed());
    await run([() => this.#closeBeans()]);
    if (failures.length > 0) throw new AggregateError(failures, "the app stopped, but not everything closed well");
  }

  /** Waits for beans that are being built and then closed. After that many milliseconds it logs that and continues. */
  async #beansBuilt(graceMs: number): Promise<void> {
    if (!this.#isBuilding) return;
    const built = Promise.resolve(this.#assembling).catch(ignore);
    const late = "the app stopped while its beans were being built: they are closed once they are";
    await inTime(built, graceMs, late).catch(() => this.config.logger.warn(late));
  }
}

function tooLate(what: string): never {
  throw stateError("APP_STARTED", `${what}() came after the app was started: configure first, then start`);
}

/** Checks for a private member of the implementation, because importing the class would add it to every bundle. */
const isBuilder = (beans: Beans | AsyncBeansBuilder): beans is Builder => "bindFor" in beans;
const isContainer = (beans: Beans | AsyncBeansBuilder): beans is Beans => "graph" in beans;
