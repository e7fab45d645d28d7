/**
 * The builder: collects bindings and decorators, then starts a container with them.
 *
 *   bind … instrument ──▶ start()        everything is built now
 *   override …        ──▶ another factory for an existing binding
 *   bindAsync …       ──▶ startAsync()   async beans first, concurrently; the type has no start() any more
 *   bind …            ──▶ buildLazy()    each bean is built when it is first asked for
 *   builder(below)    ──▶ a container on another one, which shows the beans of both
 *
 * A failed start leaves nothing open: beans created so far are closed again, in the order of close().
 */
import { ignore, isThenable } from "../internal/thenable.ts";
import { Bindings, type Binding } from "./binding.ts";
import { Container } from "./container.ts";
import { BeanError } from "./errors.ts";
import type { StereotypeOption } from "./interface.ts";
import type { BeanDecorator, BeanResolver, Beans, BeanType } from "./types.ts";

/** Options of a binding: `stereotype` overrides that of the type. */
export interface BindOptions extends StereotypeOption {}

/** Accepts bindings. A plugin gets this. */
export interface BeanBinder {
  /** Binds a type to the result of `factory`. The factory runs once, and `b.get` gives it its dependencies. */
  bind<T extends object>(type: BeanType<T>, factory: (b: BeanResolver) => NoInfer<T>, options?: BindOptions): this;
  /**
   * Binds a type to the value of a promise. Async beans are built before the others, concurrently, in any binding order. A
   * factory whose `b.get` asks for an unfinished one is stopped there, and rerun when it is ready. So a factory should ask
   * first, and open resources after that.
   */
  bindAsync<T extends object>(
    type: BeanType<T>,
    factory: (b: BeanResolver) => Promise<NoInfer<T>>,
    options?: BindOptions,
  ): BeanBinder;
  /** Binds a type to an existing object. The caller owns it, so `close()` leaves it open. */
  bindInstance<T extends object>(type: BeanType<T>, instance: NoInfer<T>, options?: BindOptions): this;
  /**
   * Replaces an earlier binding of the type, by any owner and of any kind. Tests use it. The factory is synchronous, and
   * `close()` closes its bean. @throws BeanError `BEAN_MISSING` when the type is not bound yet, `BEAN_DUPLICATE` when the
   * container below has bound it.
   */
  override<T extends object>(type: BeanType<T>, factory: (b: BeanResolver) => NoInfer<T>, options?: BindOptions): this;
}

/** A builder with an async binding. It can only be started with `startAsync`. */
export interface AsyncBeansBuilder extends BeanBinder {
  bindAsync<T extends object>(
    type: BeanType<T>,
    factory: (b: BeanResolver) => Promise<NoInfer<T>>,
    options?: BindOptions,
  ): AsyncBeansBuilder;
  /** Passes every bean once through `decorator`, after its factory. Several run in the given order. */
  instrument(decorator: BeanDecorator): this;
  /** Builds every bean, async ones first. @throws BeanError, after the beans created so far were closed. */
  startAsync(): Promise<Beans>;
}

/** Collects bindings. Each start makes a separate container, which later bindings do not reach. */
export interface BeansBuilder extends AsyncBeansBuilder {
  /**
   * Builds every bean in binding order. @throws BeanError with a `cleanup` that settles when the beans created so far are
   * closed.
   */
  start(): Beans;
  /** Builds nothing yet. A bean is built on first use. */
  buildLazy(): Beans;
}

/** The implementation of both builder types. */
export class Builder implements BeansBuilder {
  readonly #bindings: Bindings;
  readonly #decorators: BeanDecorator[];
  readonly #below: Container | undefined;
  #owner: string | undefined;

  /** @throws BeanError `BEAN_TYPE` when the value below is not a container. */
  constructor(below?: Beans, bindings: readonly Binding[] = [], decorators: readonly BeanDecorator[] = []) {
    if (below !== undefined && !(below instanceof Container))
      throw new BeanError("BEAN_TYPE", ["Beans.builder"], "a container lies on what start() of another builder gave.");
    this.#below = below;
    this.#bindings = new Bindings(below, bindings);
    this.#decorators = [...decorators];
  }

  /** A copy of this builder. Later bindings in it do not reach this one. */
  copy(): Builder {
    return new Builder(this.#below, this.#bindings.list(), this.#decorators);
  }

  /** Binds for a named owner, which errors show. @throws the errors of `bind`, TypeError when it is asynchronous. */
  bindFor(owner: string, bind: (builder: BeanBinder) => unknown): void {
    this.#owner = owner;
    try {
      const bound = bind(this);
      if (!isThenable(bound)) return;
      bound.then(undefined, ignore);
      throw new TypeError(`${owner} binds its beans asynchronously: bindAsync is for that`);
    } finally {
      this.#owner = undefined;
    }
  }

  bind<T extends object>(type: BeanType<T>, factory: (b: BeanResolver) => NoInfer<T>, options?: BindOptions): this {
    this.#bindings.add(type, { kind: "sync", factory }, options, this.#owner);
    return this;
  }

  bindAsync<T extends object>(
    type: BeanType<T>,
    factory: (b: BeanResolver) => Promise<NoInfer<T>>,
    options?: BindOptions,
  ): AsyncBeansBuilder {
    this.#bindings.add(type, { kind: "async", factory }, options, this.#owner);
    return this;
  }

  bindInstance<T extends object>(type: BeanType<T>, instance: NoInfer<T>, options?: BindOptions): this {
    this.#bindings.add(type, { kind: "instance", instance }, options, this.#owner);
    return this;
  }

  override<T extends object>(type: BeanType<T>, factory: (b: BeanResolver) => NoInfer<T>, options?: BindOptions): this {
    this.#bindings.override(type, factory, options);
    return this;
  }

  instrument(decorator: BeanDecorator): this {
    this.#decorators.push(decorator);
    return this;
  }

  start(): Beans {
    const container = this.#container("start()");
    try {
      container.build();
      return container;
    } catch (error) {
      void container.startFailed(error);
      throw error;
    }
  }

  async startAsync(): Promise<Beans> {
    const container = this.#container(undefined);
    try {
      await container.buildAsync();
      return container;
    } catch (error) {
      await container.startFailed(error);
      throw error;
    }
  }

  buildLazy(): Beans {
    return this.#container("buildLazy()");
  }

  #container(sync: string | undefined): Container {
    const bindings = this.#bindings.list();
    const waiting = sync === undefined ? undefined : bindings.find(({ source }) => source.kind === "async");
    if (waiting !== undefined) {
      const sentence = `it is bound with bindAsync, and ${sync} cannot wait. Use await startAsync().`;
      throw new BeanError("BEAN_ASYNC", [waiting.info.id], sentence);
    }
    return new Container(bindings, [...this.#decorators], this.#below);
  }
}
