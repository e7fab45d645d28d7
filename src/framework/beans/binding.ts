/** Bindings: the builder's collection. Each is checked when it is added, so that an error points to its line. */
import { isThenable } from "../internal/thenable.ts";
import { BeanError } from "./errors.ts";
import { checkStereotype, isBeanType, isInterface, nameOf, type StereotypeOption } from "./interface.ts";
import { stereotypeOf } from "./stereotype.ts";
import type { BeanInfo, BeanResolver, BeanType } from "./types.ts";

/** The source of a bean. */
export type Source =
  | { readonly kind: "sync"; readonly factory: (b: BeanResolver) => object; readonly isOverride?: boolean }
  | { readonly kind: "async"; readonly factory: (b: BeanResolver) => Promise<object> }
  | { readonly kind: "instance"; readonly instance: object };

/** A type, its place in the graph, and the source of its bean. */
export interface Binding {
  /** The known facts about the bean before it exists. */
  readonly info: BeanInfo;
  readonly source: Source;
  /** The owner of the binding, e.g. `the plugin "mail"`. Undefined for the builder's creator. */
  readonly owner: string | undefined;
}

/** The container below, as Bindings needs it. */
interface Below {
  idOf(type: BeanType<object>): string | undefined;
  graph(): { readonly nodes: readonly { readonly id: string }[] };
}

/** The bindings of one builder, in binding order. */
export class Bindings {
  readonly #byType = new Map<object, Binding>();
  readonly #ids: Set<string>;
  readonly #below: Below | undefined;

  constructor(below: Below | undefined, bindings: readonly Binding[]) {
    this.#below = below;
    this.#ids = new Set(below?.graph().nodes.map(({ id }) => id));
    for (const binding of bindings) {
      this.#byType.set(binding.info.type, binding);
      this.#ids.add(binding.info.id);
    }
  }

  /** Adds one. @throws BeanError `BEAN_TYPE`, `BEAN_DUPLICATE`, and for an instance `BEAN_PROMISE`, `BEAN_NOT_AN_OBJECT`. */
  add(type: unknown, source: Source, options: StereotypeOption | undefined, owner?: string): void {
    const name = nameOf(type);
    if (!isBeanType(type)) throw new BeanError("BEAN_TYPE", [name], notAType);
    this.#expectFree(type, name, owner);
    checkStereotype(name, options?.stereotype);
    if (source.kind === "instance") checkBean(source.instance, [name], "bindInstance was given");
    const made = source.kind === "instance" ? source.instance : undefined;
    this.#byType.set(type, { info: this.#infoOf(type, name, options, made), source, owner });
  }

  /**
   * Replaces the factory of a binding. Its id, its place in the order and its owner remain, and its stereotype unless the
   * options have another. @throws BeanError `BEAN_TYPE`, `BEAN_MISSING` when the type is not bound, `BEAN_DUPLICATE` when the
   * container below has it.
   */
  override(type: unknown, factory: (b: BeanResolver) => object, options: StereotypeOption | undefined): void {
    const name = nameOf(type);
    if (!isBeanType(type)) throw new BeanError("BEAN_TYPE", [name], notAType);
    checkStereotype(name, options?.stereotype);
    const bound = this.#byType.get(type);
    if (bound === undefined) throw this.#nothingToOverride(type, name);
    const stereotype = options?.stereotype ?? bound.info.stereotype;
    const info = Object.freeze({ ...bound.info, stereotype, isInterface: isInterface(type) });
    this.#byType.set(type, { ...bound, info, source: { kind: "sync", factory, isOverride: true } });
  }

  #nothingToOverride(type: BeanType<object>, name: string): BeanError {
    if (this.#below?.idOf(type) !== undefined) {
      const sentence = `${name} is bound in the container below, which has started. Override it in the builder of that one.`;
      return new BeanError("BEAN_DUPLICATE", [name], sentence);
    }
    const hint = namesakeHint(name, this.#byType.keys());
    const sentence = `it is not bound yet, so there is nothing to override. Add .bind(${name}, …) before.${hint}`;
    return new BeanError("BEAN_MISSING", [name], sentence);
  }

  #expectFree(type: BeanType<object>, name: string, owner: string | undefined): void {
    const bound = this.#byType.get(type);
    if (bound === undefined && this.#below?.idOf(type) === undefined) return;
    const first = bound === undefined ? "the container below" : (bound.owner ?? "the app");
    const both = bound !== undefined && bound.owner === owner ? "" : `, by ${first} and by ${owner ?? "this builder"}`;
    const way = bound === undefined ? "" : `, or replace the first with .override(${name}, …)`;
    throw new BeanError("BEAN_DUPLICATE", [name], `${name} is bound twice${both}. Remove one${way}.`);
  }

  /** A copy, so that later bindings do not reach running containers. */
  list(): readonly Binding[] {
    return [...this.#byType.values()];
  }

  #infoOf(
    type: BeanType<object>,
    name: string,
    options: StereotypeOption | undefined,
    made: object | undefined,
  ): BeanInfo {
    const id = uniqueId(name, this.#ids);
    this.#ids.add(id);
    const stereotype = stereotypeOf(type, name, options?.stereotype);
    return Object.freeze({ id, name, type, stereotype, isInterface: isInterface(type, made) });
  }
}

/** The facts about an existing bean. Only then is it known whether its class is an interface. */
export function infoOfMade(info: BeanInfo, bean: object): BeanInfo {
  const isBoundAsInterface = isInterface(info.type, bean);
  return isBoundAsInterface === info.isInterface ? info : Object.freeze({ ...info, isInterface: isBoundAsInterface });
}

/** The end of a message about an unbound type: a hint about another one with that name, or empty. */
export function namesakeHint(name: string, bound: Iterable<object>): string {
  if (!Array.from(bound, nameOf).includes(name)) return "";
  return ` Another ${name} is bound: types are compared by identity, so export one and import it.`;
}

const notAType =
  "a bean is bound by an interface token or a class. If this is an import, the modules probably import each other.";

/** `name`, or the first free of `name#2`, `name#3`, … */
function uniqueId(name: string, taken: ReadonlySet<string>): string {
  let id = name;
  for (let n = 2; taken.has(id); n += 1) id = `${name}#${n}`;
  return id;
}

/**
 * Rejects a value that cannot be a bean. `given` begins the message, e.g. "its factory returned". `way` ends it for a promise.
 */
export function checkBean(
  value: unknown,
  chain: readonly string[],
  given: string,
  way = "Use bindAsync and await startAsync().",
): asserts value is object {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") {
    const kind = value === null ? "null" : typeof value;
    throw new BeanError("BEAN_NOT_AN_OBJECT", chain, `${given} ${kind}. A bean is an object; is a return missing?`);
  }
  if (!isThenable(value)) return;
  if (value instanceof Promise) value.catch(() => undefined);
  throw new BeanError("BEAN_PROMISE", chain, `${given} a promise. ${way}`);
}
