/**
 * Devtools: a dashboard on a running application, for development only.
 *
 *   Devtools.create() ──▶ beans.instrument(devtools.recorder()) ──▶ devtools.install(app, beans) ──▶ app.start(port)
 *
 * It shows the arguments and results of beans to every accepted client, so never install it in production. When it is off, by
 * FRAMEWORK_DEVTOOLS=false or NODE_ENV=production, it does nothing at all: no wrappers, no storage, no paths.
 *
 * Spec: spec/devtools.md
 */
import type { BeanDecorator } from "framework";
import type { DevtoolsBeans, DevtoolsHost } from "./host.ts";
import type { LeafKind } from "./run/shapes.ts";
import { Installation } from "./installation.ts";
import { noSpans, type LeafSpanProcessor } from "./record/leaves/span-processor.ts";
import { type Note, step } from "./record/leaves/step.ts";
import { readOptions, readSwitch, type DevtoolsOptions, type Switch } from "./options.ts";

export type { DevtoolsBeans, DevtoolsHost, HostFacts, HostPanel, HostRoute } from "./host.ts";
export type {
  CacheDescription,
  DescriptionOf,
  Descriptions,
  HttpDescription,
  LeafChannel,
  LeafChannelOf,
  LogDescription,
  MessageDescription,
  SpanDescription,
  SqlDescription,
} from "./record/leaves/descriptions.ts";
export type { HeaderList } from "./record/leaves/header-list.ts";
export type { LeafSpanProcessor } from "./record/leaves/span-processor.ts";
export { type Note, step } from "./record/leaves/step.ts";
export type { CaptureLimits } from "./capture/walk.ts";
export type { DevtoolsOptions, HistoryOptions, ReviveForm, SnapshotForms } from "./options.ts";
export type { RedactOptions } from "./capture/redact.ts";
export type * from "./run/shapes.ts";

/**
 * The development dashboard of one application.
 *
 * @example
 * ```ts
 * const devtools = Devtools.create();
 * const beans = Beans.builder().bind(Orders, () => new SqlOrders()).instrument(devtools.recorder()).start();
 * devtools.install(app.beans(beans), beans);
 * await app.start(8080);   // http://localhost:8080/framework/dev
 * ```
 */
export class Devtools {
  readonly #switch: Switch;
  readonly #installation: Installation | undefined;
  #installed = false;

  private constructor(state: Switch, installation: Installation | undefined) {
    this.#switch = state;
    this.#installation = installation;
  }

  /**
   * Creates devtools. Reads the environment one time.
   *
   * @throws RangeError naming the option, its value and what is allowed (DEV)
   */
  static create<const T extends readonly object[] = readonly []>(options: DevtoolsOptions<T> = {}): Devtools {
    const env = globalThis.process?.env ?? {};
    const settings = readOptions(options as DevtoolsOptions<never>, env);
    const state = readSwitch(env);
    return new Devtools(state, state.on ? new Installation(settings) : undefined);
  }

  /** The bean decorator for `Beans.builder().instrument(…)`. If devtools are off, it returns every bean unchanged. */
  recorder(): BeanDecorator {
    return this.#installation?.recorder ?? identity;
  }

  /**
   * Mounts the dashboard and its endpoints. Call it once, before `app.start()`. If devtools are off, it does nothing.
   *
   * @param beans the container that the app got, so that a mistake is noticed. Omit it if the app got a builder
   * @throws Error when called twice, when the application has devtools already, and when it has another container
   */
  install(app: DevtoolsHost, beans?: DevtoolsBeans): this {
    if (this.#installed)
      throw new Error("devtools.install() was called twice: one Devtools belongs to one application");
    if (watched.has(app))
      throw new Error("devtools.install() was called for an application that has devtools already: install them once");
    this.#installed = true;
    watched.add(app);
    if (this.#switch.warning !== undefined) app.about.logger.warn(this.#switch.warning);
    this.#installation?.mount(app, beans);
    return this;
  }

  /** Binds a callback (of a queue, an emitter, a pool) to the current request, which then records the callback's calls. */
  bind<F extends (...args: never[]) => unknown>(callback: F): F {
    return this.#installation?.recorder.bind(callback) ?? callback;
  }

  /**
   * Runs work outside a request, such as the job of a queue, as a separate run. History shows its bean calls under `name`.
   * Returns or throws the result of `work`. If devtools are off, it only calls `work`.
   */
  trace<R>(name: string, work: () => R): R {
    return this.#installation === undefined ? work() : this.#installation.runs.work("trace", name, work);
  }

  /**
   * A span processor for OpenTelemetry's SDK. It shows every span of any instrumentation under the call that was active, as
   * SQL, a cache command or a message if its attributes say so. If devtools are off, it does nothing.
   *
   * @example
   * ```ts skip="the SDK is the application's to install"
   * const sdk = new NodeSDK({ spanProcessors: [devtools.spanProcessor()], instrumentations: [new PgInstrumentation()] });
   * ```
   */
  spanProcessor(): LeafSpanProcessor {
    return this.#installation?.spanProcessor() ?? noSpans;
  }

  /**
   * Shows the statements and commands of a database client under the calls that send them: a `Pool` or `Client` of pg, the
   * function of postgres.js, a database of node:sqlite or better-sqlite3, a client or client pool of node-redis. Returns the
   * same client, and for postgres.js a proxy of its function. If devtools are off, it does nothing.
   *
   * @throws TypeError for any other object
   * @example
   * ```ts skip="needs a PostgreSQL"
   * const pool = devtools.watch(new Pool({ connectionString }));
   * ```
   */
  watch<T extends object>(client: T): T {
    return this.#installation?.watch(client) ?? client;
  }

  /** Like `step` of the package: runs `work` as a step of the current run. If devtools are off, it only calls `work`. */
  step<K extends LeafKind, R>(kind: K, name: string, work: (note: Note<K>) => R): R {
    return step(kind, name, work);
  }

  /** Forgets every trace. Sequence numbers continue. */
  clear(): void {
    this.#installation?.store.clear();
  }
}

const watched = new WeakSet<object>();

const identity: BeanDecorator = { traces: false, decorate: (bean) => bean };
