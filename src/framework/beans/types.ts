/**
 * Beans: the types that binders, decorators and readers of the graph share.
 *
 * Spec: spec/graph.md
 */
import type { BeanError } from "./errors.ts";

declare const beanBrand: unique symbol;

/** What a bean is for; drawn by colour in the dashboard. */
export type Stereotype = "controller" | "service" | "repository" | "component" | "bean";

/** A TypeScript interface that exists at run time, so that it can be a key. Compared by identity. */
export interface Interface<T extends object> {
  readonly name: string;
  readonly stereotype?: Stereotype | undefined;
  readonly [beanBrand]: () => T;
}

/** A class: also an abstract one, and one with a private constructor. */
export type Class<T> = (abstract new (...args: never[]) => T) | (Function & { readonly prototype: T });

/** The key of a bean: an interface token or a class. An abstract class is an interface that exists at run time. */
export type BeanType<T extends object> = Interface<T> | Class<T>;

/** Resolves beans: given to factories, and what a running container is. */
export interface BeanResolver {
  /**
   * The bean of that type. In an async factory, one that asks for an async bean that is not there yet is stopped by an
   * error, and run again once it is. @throws BeanError naming the chain when it is missing or cyclic.
   */
  get<T extends object>(type: BeanType<T>): T;
}

/** Where a bean stands in the graph; given to decorators. */
export interface BeanInfo {
  /** The graph node's id: the name, or `name#2` for a second bean of that name. */
  readonly id: string;
  readonly name: string;
  readonly type: BeanType<object>;
  readonly stereotype: Stereotype;
  /**
   * Bound as an interface: by a token, or by a class that has not made the bean itself, such as an abstract one? Only such
   * beans can be spied. With a class it is false until the bean is there, and decorators are handed what it is then.
   */
  readonly isInterface: boolean;
}

/** Returns the bean, or something that stands in for it. Called once per bean, after its factory; a throw is reported and the bean kept. */
export interface BeanDecorator {
  decorate<T extends object>(bean: T, info: BeanInfo): T;
  /** Does this decorator record the calls of the beans that it stands in for? The graph's `traceable` comes of it. */
  readonly traces?: boolean | undefined;
  /**
   * Hears of each factory before it runs, and of the bean whose factory asked for it. What it returns hears once how that
   * ended: with the error, or with nothing when the bean is there. For tools that watch: what it throws is kept in `warnings`.
   */
  building?(info: BeanInfo, asker: BeanInfo | undefined): ((error?: BeanError) => void) | void;
  /** Hears that `start()` or `startAsync()` failed, by what and how far it came. */
  startFailed?(error: BeanError, graph: BeanGraph): void;
}

/**
 * Why a bean's calls are not recorded: the class it is bound by has made it itself, or is yet to make it; it is a function, or a proxy, which a recorder leaves as it
 * is; no decorator of the container records; the one that does failed on it.
 */
export type UntracedReason = "class" | "function" | "proxy" | "uninstrumented" | "failed";

/** A node of the bean graph (spec/graph.ts, BeanNode). */
export interface BeanNode {
  readonly id: string;
  readonly name: string;
  readonly stereotype: Stereotype;
  /** The class behind it, e.g. `SqlOrderRepository`. */
  readonly implementation: string;
  readonly traceable: boolean;
  /** Why it is not. */
  readonly reason?: UntracedReason | undefined;
  readonly dependencies: readonly string[];
}

/** The bean graph (spec/graph.ts, BeanGraph): `from` depends on `to`. */
export interface BeanGraph {
  readonly nodes: readonly BeanNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly unspied: readonly string[];
}

/** A running container: what `start()`, `startAsync()` and `buildLazy()` return. */
export interface Beans extends BeanResolver, AsyncDisposable {
  /** One bean per type, as a tuple typed like the list. @throws BeanError as `get` does. */
  all<T extends readonly object[]>(types: readonly [...{ readonly [K in keyof T]: BeanType<T[K] & object> }]): T;
  /** The bean as its factory made it, without what decorators put around it; undefined while it is not built. */
  unwrapped<T extends object>(type: BeanType<T>): T | undefined;
  /** The graph as far as it is known. Creates no bean, and still responds after `close()`. */
  graph(): BeanGraph;
  /** Every bound type, in binding order. */
  types(): readonly BeanType<object>[];
  /** The graph node's id of a type; undefined when it is not bound. */
  idOf<T extends object>(type: BeanType<T>): string | undefined;
  /** The container that this one lies on: `Beans.builder(below)`. */
  readonly below: Beans | undefined;
  /** One sentence for each decorator that failed on a bean, and each async factory that asked late; oldest first. */
  readonly warnings: readonly string[];
  /**
   * Closes the beans that factories made, one after another: each behind all that were seen to ask for it, else latest
   * first; beans that use each other in a round latest first, too. Those of `bindInstance` stay open: the caller owns them. Idempotent: every call returns the same promise.
   * @throws AggregateError after all were closed, with whatever their closing threw.
   */
  close(): Promise<void>;
}
