/**
 * The container: makes each bean once, remembers who asked for whom, and closes them latest first.
 *
 *   get(A) ──▶ factory of A ──▶ b.get(B) ──▶ factory of B ──▶ …
 *               └── edge A → B is learned, whenever `b` is asked: inside the factory or later
 *
 * A container may lie on another one: what it does not have itself is asked of that. The one below knows nothing of it.
 *
 * Every factory gets a resolver of its own, so a question always has a name on it: that is where the edges and the
 * chain in an error message come from.
 *
 * Spec: spec/beans.md (BEAN-006 … BEAN-013, BEAN-019 … BEAN-023)
 */
import { checkBean, type Binding } from "./binding.ts";
import { closeAll } from "./close.ts";
import { decorate, implementationOf, tellBuilding, tellStartFailed, text, untracedBefore } from "./decorate.ts";
import { BeanError } from "./errors.ts";
import { graphOf } from "./graph.ts";
import { nameOf } from "./interface.ts";
import type { BeanDecorator, BeanGraph, BeanInfo, BeanResolver, Beans, BeanType, UntracedReason } from "./types.ts";

interface Entry {
  readonly binding: Binding;
  readonly info: BeanInfo;
  readonly dependencies: Set<string>;
  /** What everybody gets; undefined until it is built. */
  bean: object | undefined;
  building: boolean;
  implementation: string | undefined;
  reason: UntracedReason | undefined;
}

/** One question in a row of questions: who asked, and on whose behalf. */
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
  /** What factories made, in creation order. */
  readonly #created: object[] = [];
  /** Every object that is somebody's bean already, so that an alias is named and closed once: handed out → raw. */
  readonly #raw = new Map<unknown, object>();
  /** The factory that runs right now. */
  #top: Frame | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(bindings: readonly Binding[], decorators: readonly BeanDecorator[], below?: Container) {
    this.#decorators = below === undefined ? decorators : [...below.#decorators, ...decorators];
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

  /** Builds everything that is not built yet, in binding order. @throws BeanError. */
  build(): void {
    for (const entry of this.#entries.values()) if (entry.bean === undefined) this.#make(entry, undefined);
  }

  /** Builds the async beans, one after another in binding order, then the rest. @throws BeanError. */
  async buildAsync(): Promise<void> {
    for (const entry of this.#entries.values()) {
      const { source } = entry.binding;
      if (source.kind === "async") await this.#makeAsync(entry, source.factory);
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

  /** Ends a start that has failed: tells those who listen, closes for good, and returns what that threw. */
  startFailed(error: unknown): Promise<readonly unknown[]> {
    if (!(error instanceof BeanError)) return this.#dismantle();
    tellStartFailed(error, this.graph(), this.#decorators);
    error.cleanup = this.#dismantle();
    return error.cleanup;
  }

  /** Closes for good and returns what that threw. Synchronous as long as the beans' own closing is. */
  #dismantle(): Promise<readonly unknown[]> {
    this.#closed = true;
    return closeAll(this.#created.splice(0).reverse());
  }

  /** Its own entries behind those of the containers below. */
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
    if (entry.building && (entry.binding.source.kind === "sync" || isIn(asker, entry))) throw cycle(entry, asker);
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
    if (source.kind === "async") throw notReady(entry, parent);
    if (source.kind === "instance") return this.#finish(entry, source.instance);
    const frame = { entry, parent };
    const ended = this.#tellBuilding(frame);
    try {
      const raw = this.#run(frame, () => {
        const made: unknown = source.factory(this.#resolverFor(frame));
        checkBean(made, chainOf(frame), "its factory returned");
        return made;
      });
      const bean = this.#finish(entry, raw);
      ended();
      return bean;
    } catch (error) {
      ended(asBeanError(error, frame));
      throw error;
    }
  }

  async #makeAsync(entry: Entry, factory: (b: BeanResolver) => Promise<object>): Promise<void> {
    const frame = { entry, parent: undefined };
    const ended = this.#tellBuilding(frame);
    try {
      const pending = this.#run(frame, () => factory(this.#resolverFor(frame)));
      entry.building = true;
      const made: unknown = await pending;
      checkBean(made, chainOf(frame), "its factory resolved to");
      this.#finish(entry, made);
      ended();
    } catch (thrown) {
      const error = asBeanError(thrown, frame);
      ended(error);
      throw error;
    } finally {
      entry.building = false;
    }
  }

  /** Runs the synchronous part of a factory as the one that runs right now. */
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
    const { bean, reason } = decorate(made, entry.info, this.#decorators, (line) => this.#warnings.push(line));
    entry.implementation = implementationOf(raw, entry.info.name);
    entry.reason = reason;
    entry.bean = bean;
    if (alias === undefined) this.#created.push(raw);
    this.#raw.set(raw, raw).set(bean, raw);
    return bean;
  }

  /** What is somebody's bean already, here or below, as its factory made it. */
  #rawOf(made: object): object | undefined {
    return this.#raw.get(made) ?? (this.#below === undefined ? undefined : this.#below.#rawOf(made));
  }

  #tellBuilding({ entry, parent }: Frame): (error?: BeanError) => void {
    return tellBuilding(entry.info, parent?.entry.info, this.#decorators, (line) => this.#warnings.push(line));
  }

  /** Asks on behalf of one bean. After its factory has ended, on behalf also of whoever runs then. */
  #resolverFor(frame: Frame): BeanResolver {
    const asker = (): Frame => (frame.entry.building ? frame : { entry: frame.entry, parent: this.#top });
    return { get: <T extends object>(type: BeanType<T>): T => this.#resolve(type, asker()) as T };
  }

  #missing(type: object, asker: Frame | undefined): BeanError {
    const name = nameOf(type);
    const namesake = this.types().some((bound) => nameOf(bound) === name);
    const hint = namesake
      ? ` Another ${name} is bound: types are compared by identity, so export one and import it.`
      : "";
    return new BeanError("BEAN_MISSING", chainTo(name, asker), `${name} is not bound. Add .bind(${name}, …).${hint}`);
  }
}

const closedSentence = "the container is closed. Ask for beans before close(), or start another container.";

function entryOf(binding: Binding, decorators: readonly BeanDecorator[]): Entry {
  const { source, info } = binding;
  const implementation = source.kind === "instance" ? implementationOf(source.instance, info.name) : undefined;
  const state = { bean: undefined, building: false, implementation, reason: untracedBefore(info, decorators) };
  return { binding, info, dependencies: new Set(), ...state };
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

function cycle({ info }: Entry, asker: Frame | undefined): BeanError {
  const whole = chainTo(info.id, asker);
  const chain = whole.slice(whole.indexOf(info.id));
  const advice = "Let one of them call b.get later, inside a method, or move what they share into a third bean.";
  return new BeanError("BEAN_CYCLE", chain, `these beans need each other to be created. ${advice}`);
}

function notReady({ info, building }: Entry, asker: Frame | undefined): BeanError {
  let first = asker;
  while (first?.parent !== undefined) first = first.parent;
  const early = first?.entry.building === true && !building ? first.entry.info.id : undefined;
  const move =
    early === undefined ? "Await startAsync()" : `Move .bindAsync(${info.id}, …) before .bindAsync(${early}, …)`;
  return new BeanError("BEAN_NOT_READY", chainTo(info.id, asker), `${info.id} is async and not built yet. ${move}.`);
}

function asBeanError(error: unknown, frame: Frame): BeanError {
  if (error instanceof BeanError) return error;
  return new BeanError("BEAN_FACTORY", chainOf(frame), `its factory threw: ${text(error)}`, error);
}
