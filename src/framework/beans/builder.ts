/**
 * The builder: collects bindings and decorators, then starts a container from them.
 *
 *   bind … instrument ──▶ start()        everything is built now
 *   override …        ──▶ another factory for what is bound already
 *   bindAsync …       ──▶ startAsync()   async beans first, side by side; the type has no start() any more
 *   bind …            ──▶ buildLazy()    each bean is built when it is first asked for
 *   builder(below)    ──▶ a container on another one, whose beans it shows as its own
 *
 * A start that fails leaves nothing behind: what had been created is closed again, in the order of close().
 */
import { ignore, isThenable } from "../internal/thenable.ts";
import { Bindings, type Binding } from "./binding.ts";
import { Container } from "./container.ts";
import { BeanError } from "./errors.ts";
import type { StereotypeOption } from "./interface.ts";
import type { BeanDecorator, BeanResolver, Beans, BeanType } from "./types.ts";

/** Options of a binding: `stereotype` overrides what the type says. */
export interface BindOptions extends StereotypeOption {}

/** Takes bindings: what a plugin gets. */
export interface BeanBinder {
  /** Binds a type to what `factory` makes. The factory runs once; `b.get` gives it what it needs. */
  bind<T extends object>(type: BeanType<T>, factory: (b: BeanResolver) => NoInfer<T>, options?: BindOptions): this;
  /**
   * Binds a type to what a promise brings. Async beans are built before the others, side by side, in whatever order they are
   * bound. A factory that asks by `b.get` for one that is not there yet is stopped there, and run again once it is: so it
   * asks first, and opens what it opens behind that.
   */
  bindAsync<T extends object>(
    type: BeanType<T>,
    factory: (b: BeanResolver) => Promise<NoInfer<T>>,
    options?: BindOptions,
  ): BeanBinder;
  /** Binds a type to an object that exists. The caller owns it: `close()` leaves it open. */
  bindInstance<T extends object>(type: BeanType<T>, instance: NoInfer<T>, options?: BindOptions): this;
  /**
   * Replaces what was bound to the type before, by whomever and in whichever way: tests use it. The factory is a
   * synchronous one, and what it makes is closed by `close()`. @throws BeanError `BEAN_MISSING` where nothing is bound yet,
   * `BEAN_DUPLICATE` where it is bound in the container that this one lies on.
   */
  override<T extends object>(type: BeanType<T>, factory: (b: BeanResolver) => NoInfer<T>, options?: BindOptions): this;
}

/** A builder with an async bean among its bindings: it can only be started with `startAsync`. */
export interface AsyncBeansBuilder extends BeanBinder {
  bindAsync<T extends object>(
    type: BeanType<T>,
    factory: (b: BeanResolver) => Promise<NoInfer<T>>,
    options?: BindOptions,
  ): AsyncBeansBuilder;
  /** Hands every bean once through `decorator` after its factory. Several run in the order given. */
  instrument(decorator: BeanDecorator): this;
  /** Builds every bean, async ones first. @throws BeanError, after what had been created was closed. */
  startAsync(): Promise<Beans>;
}

/** Collects bindings. Each start makes a container of its own; what is bound later does not reach it. */
export interface BeansBuilder extends AsyncBeansBuilder {
  /** Builds every bean in binding order. @throws BeanError, whose `cleanup` tells when what was created is closed. */
  start(): Beans;
  /** Builds nothing yet: a bean is built when it is first asked for. */
  buildLazy(): Beans;
}

/** The implementation of both builder types. */
export class Builder implements BeansBuilder {
  readonly #bindings: Bindings;
  readonly #decorators: BeanDecorator[];
  readonly #below: Container | undefined;
  #owner: string | undefined;

  /** @throws BeanError `BEAN_TYPE` when what it is to lie on is no container. */
  constructor(below?: Beans, bindings: readonly Binding[] = [], decorators: readonly BeanDecorator[] = []) {
    if (below !== undefined && !(below instanceof Container))
      throw new BeanError("BEAN_TYPE", ["Beans.builder"], "a container lies on what start() of another builder gave.");
    this.#below = below;
    this.#bindings = new Bindings(below, bindings);
    this.#decorators = [...decorators];
  }

  /** Another builder of the same: what is bound in it does not reach this one. */
  copy(): Builder {
    return new Builder(this.#below, this.#bindings.list(), this.#decorators);
  }

  /** Binds on behalf of somebody, whom errors name. @throws what `bind` throws; TypeError when it is asynchronous. */
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
