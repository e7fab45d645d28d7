/**
 * The context manager on AsyncLocalStorage, for apps without an SDK.
 *
 * Spec: spec/tracing.md
 */
import * as api from "@opentelemetry/api";
import type { Context, ContextManager } from "@opentelemetry/api";

const { ROOT_CONTEXT } = api;

/** The used part of an AsyncLocalStorage. */
interface Storage {
  getStore(): Context | undefined;
  run<R>(context: Context, run: () => R): R;
  disable(): void;
}

/** As `@opentelemetry/context-async-hooks` has it. */
export class AsyncContextManager implements ContextManager {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    run: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(context, () => Reflect.apply(run, self, args));
  }

  bind<T>(context: Context, target: T): T {
    if (typeof target !== "function") return target;
    const storage = this.#storage;
    const bound = function (this: unknown, ...args: unknown[]): unknown {
      return storage.run(context, () => Reflect.apply(target, this, args) as unknown);
    };
    Object.defineProperty(bound, "length", { configurable: true, value: target.length });
    return bound as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}
