/**
 * Listeners: who hears of what happens to an app, and what middleware is told of it.
 *
 *   app.onStop, app.onResponse, app.observe ──┐
 *   installed(lifecycle) ─────────────────────┴──▶ one list for each
 */
import type { BeanType } from "../beans/types.ts";
import type { DeclaredRoute } from "../contract/contract.ts";
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import { shownAddress } from "../http/addresses.ts";
import type { AnnotationListener } from "../http/annotations.ts";
import type { Context, RecordedResponse, ResponseHook } from "../http/context.ts";
import type { RejectedRequest } from "../http/exchange.ts";
import type { LogListener } from "../http/request-log.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { unharmed } from "../internal/watchers.ts";
import type { Lifecycle } from "../middleware/types.ts";
import { withoutSlash } from "../routing/router.ts";

/** What middleware is told besides its listeners. */
export interface LifecycleFacts {
  readonly engine: string;
  readonly strictSlash: boolean;
  isDraining(): boolean;
  onStart(listener: () => unknown): void;
  wrapBackground(around: (name: string, work: () => unknown) => unknown): void;
}

/** The lists of one app. */
export class Listeners {
  readonly resolve: ((type: BeanType<object>) => void)[] = [];
  readonly log: LogListener[] = [];
  readonly annotation: AnnotationListener[] = [];
  readonly response: ResponseHook[] = [];
  /** Who sees responses as they are sent. */
  readonly sent: ((ctx: Context, response: RecordedResponse) => unknown)[] = [];
  readonly stop: (() => unknown)[] = [];
  readonly #routes: ((routes: readonly DeclaredRoute[]) => void)[] = [];
  readonly #rejected: ((rejected: RejectedRequest) => void)[] = [];
  readonly #logger: SafeLogger;
  #jsonSchemaOf: JsonSchemaOf | undefined;

  constructor(logger: SafeLogger, jsonSchemaOf?: JsonSchemaOf) {
    this.#logger = logger;
    this.#jsonSchemaOf = jsonSchemaOf;
  }

  /** What converts schemas without JSON Schema: that of the app's options, else the first that a middleware has. */
  get jsonSchemaOf(): JsonSchemaOf | undefined {
    return this.#jsonSchemaOf;
  }

  /** What `installed` of a middleware gets. */
  lifecycle({ engine, strictSlash, isDraining, onStart, wrapBackground }: LifecycleFacts): Lifecycle {
    return {
      get draining() {
        return isDraining();
      },
      engine,
      comparedPath: strictSlash ? (path) => path : withoutSlash,
      onStart,
      wrapBackground,
      onStop: (listener) => void this.stop.push(listener),
      onResponse: (hook) => void this.response.push(hook),
      onRoutes: (listener) => void this.#routes.push(listener),
      onRejected: (listener) => void this.#rejected.push(listener),
      convertSchemas: (jsonSchemaOf) => void (this.#jsonSchemaOf ??= jsonSchemaOf),
      warn: (line) => this.#logger.warn(line),
    };
  }

  /** Tells of the routes, which are made where somebody listens. @throws what a listener throws. */
  tellRoutes(routes: () => readonly DeclaredRoute[]): void {
    if (this.#routes.length === 0) return;
    const declared = routes();
    for (const listener of this.#routes) listener(declared);
  }

  /** Tells of a request that never became a context. What a listener throws is logged. */
  tellRejected(request: RejectedRequest): void {
    const rejected = { ...request, remoteAddress: shownAddress(request.remoteAddress) };
    for (const listener of this.#rejected) {
      try {
        listener(rejected);
      } catch (error) {
        this.#logger.error("a listener for rejected requests failed", error);
      }
    }
  }

  /** Adds a listener for rejected requests whose faults nobody hears of. */
  watchRejected(watcher: (rejected: RejectedRequest) => unknown): void {
    this.#rejected.push((rejected) => void unharmed(() => watcher(rejected)));
  }

  /** Runs each step, then the listeners of the stop, the last one first, then `last`; what fails comes back. */
  async runStop(steps: readonly (() => unknown)[], last: () => unknown): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    const run = async (step: () => unknown): Promise<void> => {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    };
    for (const step of steps) await run(step);
    for (const listener of this.stop.toReversed()) await run(listener);
    await run(last);
    return failures;
  }
}
