/**
 * Beans: the types shared by binders, decorators and readers of the graph.
 *
 * Spec: spec/graph.md
 */
import type { BeanError } from "./errors.ts";

declare const beanBrand: unique symbol;

/** The role of a bean. The dashboard draws it as a colour. */
export type Stereotype = "controller" | "service" | "repository" | "component" | "bean";

/** A TypeScript interface that exists at run time, so that it can be a key. Compared by identity. */
export interface Interface<T extends object> {
  readonly name: string;
  readonly stereotype?: Stereotype | undefined;
  readonly [beanBrand]: () => T;
}

/** A class, also an abstract one, and one with a private constructor. */
export type Class<T> = (abstract new (...args: never[]) => T) | (Function & { readonly prototype: T });

/** The key of a bean: an interface token or a class. An abstract class is an interface that exists at run time. */
export type BeanType<T extends object> = Interface<T> | Class<T>;

/** Resolves beans. Factories get one, and a running container is one. */
export interface BeanResolver {
  /**
   * The bean of that type. An async factory that asks for an unfinished async bean is stopped by an error, and rerun when that
   * is ready. @throws BeanError naming the chain when it is missing or cyclic.
   */
  get<T extends object>(type: BeanType<T>): T;
}

/** A bean's place in the graph, for decorators. */
export interface BeanInfo {
  /** The graph node's id: the name, or `name#2` for a second bean of that name. */
  readonly id: string;
  readonly name: string;
  readonly type: BeanType<object>;
  readonly stereotype: Stereotype;
  /**
   * Is it bound as an interface: by a token, or by a class that has not made the bean itself, such as an abstract one? Only
   * such beans can be spied. For a class it is false until the bean exists, and decorators get the final value.
   */
  readonly isInterface: boolean;
}

/** Returns the bean, or a proxy for it. Called once for each bean, after its factory. A throw is reported and the bean kept. */
export interface BeanDecorator {
  decorate<T extends object>(bean: T, info: BeanInfo): T;
  /** Does this decorator record the calls of its proxied beans? Determines `traceable` in the graph. */
  readonly traces?: boolean | undefined;
  /** Does it run after those without this, wherever it was given, so that its proxy is around theirs? */
  readonly outermost?: boolean | undefined;
  /**
   * Called for each factory before it runs, with the bean whose factory asked for it. A returned function is called once with
   * the outcome: the error, or nothing when the bean is ready. For tools that watch: its errors are added to `warnings`.
   */
  building?(info: BeanInfo, asker: BeanInfo | undefined): ((error?: BeanError) => void) | void;
  /** Called when `start()` or `startAsync()` failed, with the error and the progress. */
  startFailed?(error: BeanError, graph: BeanGraph): void;
}

/**
 * Why a bean's calls are not recorded. Its class has made it itself, or will make it. Or it is a function or a proxy, which a
 * recorder leaves alone. Or no decorator of the container records, or the recording one failed on it.
 */
export type UntracedReason = "class" | "function" | "proxy" | "uninstrumented" | "failed";

/** A node of the bean graph (spec/graph.ts, BeanNode). */
export interface BeanNode {
  readonly id: string;
  readonly name: string;
  readonly stereotype: Stereotype;
  /** Its class, e.g. `SqlOrderRepository`. */
  readonly implementation: string;
  readonly traceable: boolean;
  /** Why it is not traceable. */
  readonly reason?: UntracedReason | undefined;
  readonly dependencies: readonly string[];
}

/** The bean graph (spec/graph.ts, BeanGraph): `from` depends on `to`. */
export interface BeanGraph {
  readonly nodes: readonly BeanNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly unspied: readonly string[];
}

/** A running container, returned by `start()`, `startAsync()` and `buildLazy()`. */
export interface Beans extends BeanResolver, AsyncDisposable {
  /** One bean for each type, as a tuple typed like the list. @throws BeanError as `get` does. */
  all<T extends readonly object[]>(types: readonly [...{ readonly [K in keyof T]: BeanType<T[K] & object> }]): T;
  /** The bean as its factory made it, without decorators. Undefined while it is not built. */
  unwrapped<T extends object>(type: BeanType<T>): T | undefined;
  /** The graph as far as it is known. Creates no bean, and still works after `close()`. */
  graph(): BeanGraph;
  /** Every bound type, in binding order. */
  types(): readonly BeanType<object>[];
  /** The graph node's id of a type. Undefined when it is not bound. */
  idOf<T extends object>(type: BeanType<T>): string | undefined;
  /** The container below this one: `Beans.builder(below)`. */
  readonly below: Beans | undefined;
  /** One sentence for each decorator that failed on a bean, and each async factory that asked late, oldest first. */
  readonly warnings: readonly string[];
  /**
   * Closes the beans of factories, one after another: each after all beans that asked for it, else latest first. Beans in a
   * cycle also close latest first. Those of `bindInstance` stay open, because the caller owns them. Idempotent: every call
   * returns the same promise.
   * @throws AggregateError with all errors of closing, after all were closed.
   */
  close(): Promise<void>;
}
