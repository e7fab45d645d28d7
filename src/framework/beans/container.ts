/**
 * The container: makes each bean once, records dependencies, and closes beans before the beans they depend on.
 *
 *   get(A) ──▶ factory of A ──▶ b.get(B) ──▶ factory of B ──▶ …
 *               └── edge A → B is recorded on each call of `b`: inside the factory or later
 *
 * Async factories run concurrently. One that asks for an unfinished async bean is stopped at its `b.get`, and rerun when that
 * bean is ready. Two that wait for each other are a cycle.
 *
 * A container may be on top of another one, which gets requests for types that it does not have itself. The one below does not
 * know the one above.
 *
 * Every factory gets its own resolver, so each call is attributed to a bean. The edges and the chain in an error message come
 * from that.
 */
import { checkBean, infoOfMade, namesakeHint, type Binding } from "./binding.ts";
import { closeAll, closingOrder } from "./close.ts";
import { decorate, implementationOf, tellBuilding, tellStartFailed, text, untracedBefore } from "./decorate.ts";
import { withTracing } from "./traced.ts";
import { BeanError } from "./errors.ts";
import { graphOf } from "./graph.ts";
import { nameOf } from "./interface.ts";
import type { BeanDecorator, BeanGraph, BeanInfo, BeanResolver, Beans, BeanType, UntracedReason } from "./types.ts";

interface Entry {
  readonly binding: Binding;
  /** The known facts so far. Whether a class is an interface is known only when the bean exists. */
  info: BeanInfo;
  readonly dependencies: Set<string>;
  /** The decorated bean. Undefined until it is built. */
  bean: object | undefined;
  building: boolean;
  /** Reports the end of building to the listeners. Undefined when none has seen a beginning. */
  ended: ((error?: BeanError) => void) | undefined;
  /** The promise of an async bean under construction. */
  pending: Promise<void> | undefined;
  /** The async bean that it waits for, and the chain of that request. */
  waiting: { readonly target: Entry; readonly chain: readonly string[] } | undefined;
  implementation: string | undefined;
  reason: UntracedReason | undefined;
}

/** One request in a chain: the bean that asked, and on whose behalf. */
interface Frame {
  readonly entry: Entry;
  readonly parent: Frame | undefined;
}

/** The container behind the `Beans` interface. */
export class Container implements Beans {
  readonly #entries = new Map<object, Entry>();
  readonly #decorators: readonly BeanDecorator[];
  readonly #below: Container | undefined;
  readonly #warnings: string[] = [];
  /** The results of factories, in creation order. */
  readonly #created: object[] = [];
  /** Every object that is already a bean, so that an alias is named and closed once: decorated → raw. */
  readonly #raw = new Map<unknown, object>();
  /** For each not-ready error: the missing async bean, and whether the caller had awaited before. */
  readonly #notReady = new WeakMap<object, { readonly target: Entry; readonly isLate: boolean }>();
  /** The running factory. */
  #top: Frame | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(bindings: readonly Binding[], decorators: readonly BeanDecorator[], below?: Container) {
    this.#decorators = withTracing(below === undefined ? decorators : [...below.#decorators, ...decorators]);
    this.#below = below;
    for (const binding of bindings) {
      this.#entries.set(binding.info.type, entryOf(binding, this.#decorators));
      if (binding.source.kind === "instance") this.#raw.set(binding.source.instance, binding.source.instance);
    }
  }

  get below(): Beans | undefined {
    return this.#below;
  }

  get warnings(): readonly string[] {
    return [...(this.#below?.warnings ?? []), ...this.#warnings];
  }

  get<T extends object>(type: BeanType<T>): T {
    return this.#resolve(type, this.#top) as T;
  }

  all<T extends readonly object[]>(types: readonly [...{ readonly [K in keyof T]: BeanType<T[K] & object> }]): T {
    return (types as readonly BeanType<object>[]).map((type) => this.get(type)) as readonly object[] as T;
  }

  unwrapped<T extends object>(type: BeanType<T>): T | undefined {
    const entry = this.#entries.get(type);
    if (entry === undefined) return this.#below?.unwrapped(type);
    return this.#raw.get(entry.bean) as T | undefined;
  }

  graph(): BeanGraph {
    return graphOf(this.#all());
  }

  types(): readonly BeanType<object>[] {
    return Array.from(this.#all(), (entry) => entry.info.type);
  }

  idOf<T extends object>(type: BeanType<T>): string | undefined {
    return this.#entries.get(type)?.info.id ?? this.#below?.idOf(type);
  }

  /** Builds every unbuilt bean, in binding order. @throws BeanError. */
  build(): void {
    for (const entry of this.#entries.values()) if (entry.bean === undefined) this.#make(entry, undefined);
  }

  /** Builds the async beans concurrently, then the rest. The first of several failures counts. @throws BeanError. */
  async buildAsync(): Promise<void> {
    const pending = Array.from(this.#entries.values(), (entry) => this.#begun(entry));
    try {
      await Promise.all(pending);
    } finally {
      await Promise.allSettled(pending);
    }
    this.build();
  }

  close(): Promise<void> {
    this.#closing ??= this.#dismantle().then((errors) => {
      if (errors.length === 0) return;
      throw new AggregateError(errors, `${errors.length} bean(s) failed to close: ${errors.map(text).join("; ")}`);
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Ends a failed start: notifies the listeners, closes for good, and returns the errors of closing. */
  startFailed(error: unknown): Promise<readonly unknown[]> {
    if (!(error instanceof BeanError)) return this.#dismantle();
    tellStartFailed(error, this.graph(), this.#decorators);
    error.cleanup = this.#dismantle();
    return error.cleanup;
  }

  /** Closes for good and returns the errors. Synchronous if the beans' own closing is. */
  #dismantle(): Promise<readonly unknown[]> {
    this.#closed = true;
    return closeAll(closingOrder(this.#created.splice(0), this.#users()));
  }

  /** The users of each bean, by factory result. */
  #users(): ReadonlyMap<object, ReadonlySet<object>> {
    const byId = new Map(Array.from(this.#entries.values(), (entry) => [entry.info.id, this.#raw.get(entry.bean)]));
    const users = new Map<object, Set<object>>();
    for (const { bean, dependencies } of this.#entries.values()) {
      const user = this.#raw.get(bean);
      for (const id of user === undefined ? [] : dependencies) {
        const used = byId.get(id);
        if (user === undefined || used === undefined) continue;
        users.set(used, (users.get(used) ?? new Set()).add(user));
      }
    }
    return users;
  }

  /** Its own entries after those of the containers below. */
  #all(): readonly Entry[] {
    const below = this.#below === undefined ? [] : this.#below.#all();
    return [...below, ...this.#entries.values()];
  }

  #resolve(type: object, asker: Frame | undefined): object {
    const entry = this.#entries.get(type);
    if (this.#closed) throw new BeanError("BEAN_CLOSED", chainTo(nameOf(type), asker), closedSentence);
    if (entry === undefined) return this.#resolveBelow(type as BeanType<object>, asker);
    asker?.entry.dependencies.add(entry.info.id);
    if (entry.bean !== undefined) return entry.bean;
    if (entry.building && (entry.binding.source.kind === "sync" || isIn(asker, entry)))
      throw cycle(chainTo(entry.info.id, asker));
    return this.#make(entry, asker);
  }

  #resolveBelow(type: BeanType<object>, asker: Frame | undefined): object {
    const id = this.#below?.idOf(type);
    if (this.#below === undefined || id === undefined) throw this.#missing(type, asker);
    asker?.entry.dependencies.add(id);
    return this.#below.get(type);
  }

  #make(entry: Entry, parent: Frame | undefined): object {
    const { source } = entry.binding;
    if (source.kind === "async") throw this.#unready(entry, parent);
    if (source.kind === "instance") return this.#finish(entry, source.instance);
    const frame = { entry, parent };
    this.#tellBuilding(frame);
    try {
      const raw = this.#run(frame, () => {
        const made: unknown = source.factory(this.#resolverFor(frame));
        checkBean(made, chainOf(frame), "its factory returned", source.isOverride === true ? awaitFirst : undefined);
        return made;
      });
      return this.#finish(entry, raw);
    } catch (thrown) {
      const error = asBeanError(thrown, frame);
      // A factory to be rerun has not ended.
      if (!this.#notReady.has(error)) this.#tellEnded(entry, error);
      throw error;
    }
  }

  /** The building of an async bean, which begins now unless it has begun. Waits for no other bean. */
  #begun(entry: Entry): Promise<void> {
    const { source } = entry.binding;
    return (entry.pending ??= source.kind === "async" ? this.#makeAsync(entry, source.factory) : Promise.resolve());
  }

  async #makeAsync(entry: Entry, factory: (b: BeanResolver) => Promise<object>): Promise<void> {
    const frame = { entry, parent: undefined };
    this.#tellBuilding(frame);
    try {
      const made = await this.#runAsync(frame, factory);
      checkBean(made, chainOf(frame), "its factory resolved to");
      this.#finish(entry, made);
    } catch (thrown) {
      const error = asBeanError(thrown, frame);
      // The start has failed, so no factory is rerun, and late results of others are closed, too.
      this.#closed = true;
      this.#tellEnded(entry, error);
      throw error;
    } finally {
      entry.building = false;
    }
  }

  /** Runs an async factory until every async bean that it needs is ready. */
  async #runAsync(frame: Frame, factory: (b: BeanResolver) => Promise<object>): Promise<unknown> {
    const { entry } = frame;
    for (let last: unknown; ;) {
      try {
        const pending = this.#run(frame, () => factory(this.#resolverFor(frame)));
        entry.building = true;
        return await pending;
      } catch (thrown) {
        const error = asBeanError(thrown, frame);
        // The same error again means that the factory has cached it, so a rerun would not help.
        if (error === last) throw error;
        await this.#waitFor(entry, error);
        last = error;
      }
    }
  }

  /** Waits for the missing async bean of the error. @throws the error when it names none, and for a cycle. */
  async #waitFor(entry: Entry, error: BeanError): Promise<void> {
    const stop = this.#notReady.get(error);
    if (stop === undefined) throw error;
    const { target, isLate } = stop;
    const chain = error.chain[0] === entry.info.id ? error.chain : [entry.info.id, ...error.chain];
    const round = [...chain];
    for (let at: Entry | undefined = target; at !== undefined; at = at.waiting?.target) {
      if (at === entry) throw cycle(round);
      round.push(...(at.waiting?.chain.slice(1) ?? []));
    }
    if (isLate) this.#warnings.push(lateSentence(entry.info.id, target.info.id));
    entry.waiting = { target, chain };
    await this.#begun(target);
    entry.waiting = undefined;
    if (this.#closed) throw new BeanError("BEAN_CLOSED", chain, closedSentence);
  }

  /** Runs the synchronous part of a factory as the running one. */
  #run<R>(frame: Frame, part: () => R): R {
    const before = this.#top;
    this.#top = frame;
    frame.entry.building = true;
    try {
      return part();
    } catch (error) {
      throw asBeanError(error, frame);
    } finally {
      frame.entry.building = false;
      this.#top = before;
    }
  }

  #finish(entry: Entry, made: object): object {
    const alias = this.#rawOf(made);
    const raw = alias ?? made;
    entry.info = infoOfMade(entry.info, raw);
    const { bean, reason } = decorate(made, entry.info, this.#decorators, (line) => this.#warnings.push(line));
    entry.implementation = implementationOf(raw, entry.info.name);
    entry.reason = reason;
    entry.bean = bean;
    this.#tellEnded(entry);
    if (alias === undefined) this.#created.push(raw);
    this.#raw.set(raw, raw).set(bean, raw);
    return bean;
  }

  /** The raw form of an object that is already a bean, here or below. */
  #rawOf(made: object): object | undefined {
    return this.#raw.get(made) ?? (this.#below === undefined ? undefined : this.#below.#rawOf(made));
  }

  #tellBuilding({ entry, parent }: Frame): void {
    entry.ended ??= tellBuilding(entry.info, parent?.entry.info, this.#decorators, (line) => this.#warnings.push(line));
  }

  #tellEnded(entry: Entry, error?: BeanError): void {
    entry.ended?.(error);
    entry.ended = undefined;
  }

  /** Resolves on behalf of one bean. After its factory has ended, also on behalf of the running one. */
  #resolverFor(frame: Frame): BeanResolver {
    const asker = (): Frame => (frame.entry.building ? frame : { entry: frame.entry, parent: this.#top });
    return { get: <T extends object>(type: BeanType<T>): T => this.#resolve(type, asker()) as T };
  }

  #unready(entry: Entry, asker: Frame | undefined): BeanError {
    const { id } = entry.info;
    const sentence = `${id} is async and not built yet. Await startAsync().`;
    const error = new BeanError("BEAN_NOT_READY", chainTo(id, asker), sentence);
    this.#notReady.set(error, { target: entry, isLate: this.#top === undefined });
    return error;
  }

  #missing(type: object, asker: Frame | undefined): BeanError {
    const name = nameOf(type);
    const hint = namesakeHint(name, this.types());
    return new BeanError("BEAN_MISSING", chainTo(name, asker), `it is not bound. Add .bind(${name}, …).${hint}`);
  }
}

const lateSentence = (asker: string, id: string): string =>
  `${asker}: its factory was run again, because it asked for ${id} after an await. Ask for async beans first.`;
const awaitFirst = "Await it before, and let override's factory return what it brings.";
const closedSentence = "the container is closed. Ask for beans before close(), or start another container.";

function entryOf(binding: Binding, decorators: readonly BeanDecorator[]): Entry {
  const { source, info } = binding;
  const implementation = source.kind === "instance" ? implementationOf(source.instance, info.name) : undefined;
  const none = { bean: undefined, ended: undefined, pending: undefined, waiting: undefined };
  const reason = untracedBefore(info, decorators);
  return { binding, info, dependencies: new Set(), building: false, implementation, reason, ...none };
}

function chainOf(frame: Frame | undefined): string[] {
  const chain: string[] = [];
  for (let at = frame; at !== undefined; at = at.parent) chain.unshift(at.entry.info.id);
  return chain;
}

function chainTo(name: string, asker: Frame | undefined): string[] {
  return [...chainOf(asker), name];
}

function isIn(frame: Frame | undefined, entry: Entry): boolean {
  for (let at = frame; at !== undefined; at = at.parent) if (at.entry === entry) return true;
  return false;
}

/** The cycle in a chain that ends with the repeated bean. */
function cycle(whole: readonly string[]): BeanError {
  const chain = whole.slice(whole.indexOf(whole.at(-1) ?? ""));
  const advice = "Let one of them call b.get later, inside a method, or move what they share into a third bean.";
  return new BeanError("BEAN_CYCLE", chain, `these beans need each other to be created. ${advice}`);
}

function asBeanError(error: unknown, frame: Frame): BeanError {
  if (error instanceof BeanError) return error;
  return new BeanError("BEAN_FACTORY", chainOf(frame), `its factory threw: ${text(error)}`, error);
}
