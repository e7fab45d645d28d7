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
import type { Schema } from "../contract/schema.ts";
import { checkedPrefix } from "../dispatch/installed.ts";
import { checkedHook, Routes, type Place } from "../dispatch/registration.ts";
import type { FetchHandler } from "../engine/fetch/fetch.ts";
import { hostedListener, hostedUpgradeListener, type NodeListener, type NodeUpgradeListener } from "../engine/node.ts";
import type { Context, ResponseHook } from "../http/context.ts";
import type { ServerEngine } from "../http/exchange.ts";
import { defineRenamed } from "../internal/renamed.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import type { BackgroundWork } from "./background.ts";
import { Boot, type StopOptions } from "./boot.ts";
import { configOf, type Config, type FrameworkOptions } from "./config.ts";
import { addObserver, type AppAbout, type AppObserver } from "./observe.ts";
import type { Plugin, PluginArguments } from "./plugins.ts";
import { declaredRoutes, routeInfos, type RouteInfo } from "./route-info.ts";
import type { Job, JobHandler, JobInput, ScheduleOptions, WorkEngine } from "./work.ts";

/** The application. */
export class Framework extends Routes {
  readonly #boot: Boot;
  /** The same app without a socket: `await app.fetch(new Request("http://x/users/7"))`. Bound. */
  readonly fetch: FetchHandler;
  /** Data of the app for tools. */
  readonly about: AppAbout;

  static {
    defineRenamed(this.prototype, {
      exception: "app.exception(Class, handler) is app.onError(Class, handler) now",
      error: "app.error(status, handler) is app.onStatus(status, handler) now",
      wrapStart: "app.wrapStart(…) is app.observe({ start }) now",
      wrapBackground: "app.wrapBackground(…) is app.observe({ background }) now",
      onResolve: "app.onResolve(…) is app.observe({ resolve }) now",
      onLog: "app.onLog(…) is app.observe({ log }) now",
      onAnnotation: "app.onAnnotation(…) is app.observe({ annotation }) now",
      panels: "app.panels() is app.about.panels() now",
      middlewareOf: "app.middlewareOf(…) is app.about.middlewareOf(…) now",
      declaredRoutes: "app.declaredRoutes() is app.about.declaredRoutes() now",
      contextPath: "app.contextPath is app.about.contextPath now",
      host: "app.host is app.about.host now",
      logger: "app.logger is app.about.logger now",
    });
  }

  private constructor(config: Config) {
    super();
    const boot = new Boot(config);
    this.#boot = boot;
    this.fetch = boot.fetch;
    const { contextPath, host, logger } = config;
    this.about = {
      contextPath,
      host,
      logger,
      declaredRoutes: () => declaredRoutes(boot.routes, contextPath, boot.jsonSchemaOf),
      middlewareOf: (type) => boot.middlewareOf(type),
      panels: () => boot.panels(),
      get jobs() {
        return boot.jobs;
      },
    };
  }

  /**
   * A request in the form of `app.fetch`, made from less: `await app.request("/users/7", { method: "PUT" })`. A path is inside
   * the context path of `http://localhost`, as routes are registered. A URL or a Request is used as it is.
   */
  async request(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const url = typeof input === "string" && input.startsWith("/") ? `http://localhost${this.#base}${input}` : input;
    return this.fetch(new Request(url, init));
  }

  /** @throws TypeError naming the setting, its value and the allowed values. */
  static create(options: FrameworkOptions = {}): Framework {
    return new Framework(configOf(options));
  }

  /**
   * Adds middleware for every request, in order of installation. With a prefix, for that path and paths under it, in any
   * spelling.
   */
  use(middleware: MiddlewareLike): this;
  use(prefix: string, middleware: MiddlewareLike): this;
  use(first: string | MiddlewareLike, second?: MiddlewareLike): this {
    this.#boot.configuring("app.use");
    if (typeof first === "string") {
      if (second === undefined)
        throw usageError("MIDDLEWARE_INVALID", `app.use(${JSON.stringify(first)}) lacks the middleware`);
      this.#boot.uses.push(this.#boot.install(second, checkedPrefix(first)));
    } else if (second === undefined) this.#boot.uses.push(this.#boot.install(first));
    else throw usageError("MIDDLEWARE_INVALID", "app.use(…) got two middlewares: call it once for each");
    return this;
  }

  /** Adds middleware outside everything installed with `use`, even if called later. */
  wrap(middleware: MiddlewareLike): this {
    this.#boot.configuring("app.wrap");
    this.#boot.wraps.push(this.#boot.install(middleware));
    return this;
  }

  /** Responds to errors of a class. The nearest class wins. One for `Error` does not catch `HttpError`s. */
  onError<E extends object>(type: Class<E>, handler: (error: E, ctx: Context) => unknown): this {
    this.#boot.configuring("app.onError");
    this.#boot.errors.onClass(type, handler);
    return this;
  }

  /** Renders every error mapped to that status. */
  onStatus(status: number, handler: (ctx: Context) => unknown): this {
    this.#boot.configuring("app.onStatus");
    this.#boot.errors.onStatus(status, handler);
    return this;
  }

  /**
   * Sees the recorded response of a handler, a middleware or an error just before it is sent, and may return another
   * `{ status, headers, body }`. Runs in order of registration, after the hooks of the route's groups. A hook's error is mapped
   * like any other, and the hooks do not run again. Not called for `ctx.sse()` without arguments and for responses that a host
   * sends itself.
   */
  onResponse(hook: ResponseHook): this {
    this.#boot.configuring("app.onResponse");
    this.#boot.responseHooks.push(checkedHook(hook, "app.onResponse"));
    return this;
  }

  /**
   * Attaches beans. `ctx.get(Type)` and `[Type, "method"]` handlers resolve in them, and so do those of plugins. A running
   * container stays the caller's, and the beans of plugins are started on top of it. A builder is started with the app,
   * together with the beans of plugins, and closed after the last `onStop` listener.
   */
  beans(beans: Beans | AsyncBeansBuilder): this {
    this.#boot.configuring("app.beans");
    this.#boot.giveBeans(beans);
    return this;
  }

  /**
   * Installs a plugin: `app.plugin(mail, { prefix: "/mail", from: "shop@example.com" })`. Plugins are installed in the order of
   * the calls, immediately while none is asynchronous. The start waits for the others.
   *
   * @throws TypeError on a name in use, a missing dependency, a bad prefix. Error, naming the plugin, when its `install`
   * throws. A rejection of an asynchronous one rejects the start.
   */
  plugin<O extends object>(plugin: Plugin<O>, ...[settings]: PluginArguments<O>): this {
    this.#boot.configuring("app.plugin");
    this.#boot.plugin(plugin, settings ?? {});
    return this;
  }

  /**
   * Runs once when `start` listens, else before the first request of `app.fetch` or `app.listener()`, which waits for it. A
   * failure stops the app and rejects `start`. With the other two it is logged, waiting requests get 503, and the next request
   * retries that listener. With those, a listener must not wait for a request to the app itself.
   */
  onStart(listener: () => unknown): this {
    this.#boot.configuring("app.onStart");
    this.#boot.onStart.push(listener);
    return this;
  }

  /** Runs at the end of `stop`, last registered first. */
  onStop(listener: () => unknown): this {
    this.#boot.configuring("app.onStop");
    this.#boot.onStop.push(listener);
    return this;
  }

  /**
   * Runs work outside any request, immediately: `app.background("reindex", async (signal) => …)`. `stop` aborts the signal and
   * waits for the work within its grace. An error in it is logged under the name and goes no further.
   */
  background(name: string, work: BackgroundWork): this {
    this.#boot.background.begin(name, work);
    return this;
  }

  /**
   * Gives the app an engine for jobs, such as `memoryWork()` of `framework/work`. `Work` is a bean from then on.
   *
   * @throws TypeError when it is none, Error when the app has one.
   */
  work(engine: WorkEngine): this {
    this.#boot.configuring("app.work");
    this.#boot.giveWork(engine);
    return this;
  }

  /**
   * Does the jobs of one kind in this process: `app.job(SendInvoice, async (input, run) => …)`, or `[InvoiceService, "send"]`.
   *
   * @throws Error before `app.work`, TypeError when the name has a handler.
   */
  job<S extends Schema, T extends object, M extends PropertyKey>(job: Job<S>, handler: JobHandler<S, T, M>): this {
    this.#boot.work("app.job").job(job, handler);
    return this;
  }

  /**
   * Sends a job at each time of a cron line, once for all processes with this schedule:
   * `app.schedule("report", "0 3 * * *", { timeZone: "Europe/Berlin" }, Report, {})`.
   *
   * @throws Error before `app.work`, TypeError naming what is wrong with the name, the line or the zone.
   */
  schedule<S extends Schema>(
    name: string,
    cron: string,
    options: ScheduleOptions,
    job: Job<S>,
    input: JobInput<S>,
  ): this {
    this.#boot.work("app.schedule").schedule(name, cron, options, job, input);
    return this;
  }

  /**
   * Registers a tool that watches the app: `app.observe({ log: (entry, ctx) => …, rejected: (request) => … })`. All members are
   * optional. An observer changes nothing, and its errors and rejections are ignored. An event without an observer costs
   * nothing.
   *
   * @throws TypeError naming an unknown member, or one that is not a function. Error after the app has started.
   */
  observe(observer: AppObserver): this {
    this.#boot.configuring("app.observe");
    addObserver(this.#boot.listeners, observer);
    return this;
  }

  /**
   * Listens, with the engine of the options unless another one is given.
   *
   * @throws (rejects) with a sentence: port in use, a bean handler without its bean, a second start, a stop in between.
   */
  async start(
    port: number = this.#boot.config.port,
    engine: ServerEngine | undefined = this.#boot.config.engine,
  ): Promise<this> {
    await this.#boot.start(port, engine);
    return this;
  }

  /**
   * Runs the `onStart` listeners, unless they have run or are running, and waits for them. Use it before the first request of a
   * host, or in a test. Ends the configuration. @throws (rejects) with a listener's own error, and the next call retries it.
   */
  async ready(): Promise<this> {
    await this.#boot.ready();
    return this;
  }

  /**
   * Accepts no new requests and waits for those in flight and for beans that are being built, `graceMs` at most. With
   * `announceMs`, readiness turns 503 immediately and requests are served for that long, so that a load balancer can send its
   * requests elsewhere. A second call changes nothing and returns the promise of the first.
   *
   * @throws (rejects) AggregateError of the failures to close.
   */
  stop(options: StopOptions = {}): Promise<void> {
    return this.#boot.stop(options);
  }

  /** The same app inside node:http, Express, Connect or Fastify: `http.createServer(app.listener())`. */
  listener(): NodeListener {
    return hostedListener(() => this.#boot.hosted());
  }

  /**
   * The WebSockets of the same app on a host's server: `server.on("upgrade", app.upgradeListener())`. A request to an
   * unregistered path goes to `next`, if given.
   */
  upgradeListener(): NodeUpgradeListener {
    return hostedUpgradeListener(() => this.#boot.hosted());
  }

  /** The container that resolves beans: the one given to `beans`, and from the start on with the beans of plugins. */
  get container(): Beans | undefined {
    return this.#boot.container;
  }

  /** The listening port. @throws Error before `start`. */
  get port(): number {
    const { running } = this.#boot;
    if (running === undefined) throw stateError("APP_NOT_STARTED", "the app has no port before app.start()");
    return running.port;
  }

  /** Base URL with the context path, e.g. `http://localhost:8080/shop`, or `https:` over TLS. @throws Error before `start`. */
  get url(): string {
    const { config, running } = this.#boot;
    const { host = config.host, secure = false } = running ?? {};
    return `${secure ? "https" : "http"}://${hostOf(host)}:${this.port}${this.#base}`;
  }

  /** The context path as a prefix. */
  get #base(): string {
    const { contextPath } = this.about;
    return contextPath === "/" ? "" : contextPath;
  }

  /** The registered routes, sorted by path, then method. */
  routes(): RouteInfo[] {
    const { routes, config, container: beans, jsonSchemaOf } = this.#boot;
    return routeInfos(routes, { ...config, beans, jsonSchemaOf });
  }

  protected override place(): Place {
    return { registry: this.#boot.registry, prefix: "", scopes: [] };
  }
}

/** A listening address as a URL writes it. */
function hostOf(address: string | undefined): string {
  if (address === undefined || address === "0.0.0.0" || address === "::") return "localhost";
  return address.includes(":") ? `[${address}]` : address;
}
