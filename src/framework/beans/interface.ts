/**
 * Interface: gives a TypeScript interface, which is gone at run time, a token to be bound and asked for by.
 *
 *   interface Clock { now(): number }
 *   const Clock = Interface<Clock>("Clock")      one name: the type and its key
 *
 * Tokens are compared by identity: two of one name are two keys, so export a token and import it everywhere.
 */
import { BeanError } from "./errors.ts";
import { isStereotype, stereotypes } from "./stereotype.ts";
import type { BeanType, Stereotype, Interface as Token } from "./types.ts";

/** A TypeScript interface that exists at run time. */
export type Interface<T extends object> = Token<T>;

/** Options of a token and of a binding. */
export interface StereotypeOption {
  readonly stereotype?: Stereotype | undefined;
}

/** In the registry of the whole process: a token stays one for another copy of this package. */
const brand: unique symbol = Symbol.for("framework.interface");

/**
 * Makes the token of an interface. `name` becomes the id of its node in the bean graph.
 *
 * @throws BeanError `BEAN_TYPE` when the name is empty or the stereotype unknown.
 * @example
 * ```ts
 * interface OrderRepository { find(id: string): Promise<Order> }
 * const OrderRepository: Interface<OrderRepository> = Interface("OrderRepository");
 * ```
 */
export function Interface<T extends object>(name: string, options?: StereotypeOption): Interface<T> {
  if (typeof name !== "string" || name.trim() === "") {
    throw new BeanError("BEAN_TYPE", ["Interface"], 'a token needs a name: Interface<Clock>("Clock").');
  }
  checkStereotype(name, options?.stereotype);
  return Object.freeze({ name, stereotype: options?.stereotype, [brand]: true }) as unknown as Interface<T>;
}

/** Rejects a word that is not a stereotype. @throws BeanError `BEAN_TYPE`. */
export function checkStereotype(name: string, stereotype: unknown): void {
  if (stereotype === undefined || isStereotype(stereotype)) return;
  const allowed = stereotypes.join(", ");
  throw new BeanError("BEAN_TYPE", [name], `${String(stereotype)} is no stereotype. Use one of ${allowed}.`);
}

/**
 * Is the bean bound as an interface: by a token, or by a class that has not made it? `abstract` is gone at run time, so a
 * class alone tells nothing: without the bean it counts as the class that will make it.
 */
export function isInterface(type: object, bean?: object): boolean {
  return typeof type !== "function" || (bean !== undefined && makerOf(bean) !== type);
}

/** What has made an object, as its `constructor` tells; undefined where that cannot be read. */
export function makerOf(bean: object): unknown {
  try {
    return Reflect.get(bean, "constructor") as unknown;
  } catch {
    return undefined;
  }
}

/** Can `value` be the key of a bean? */
export function isBeanType(value: unknown): value is BeanType<object> {
  if (typeof value === "function") return isConstructor(value);
  return typeof value === "object" && value !== null && brand in value;
}

/** Classes, and the constructor functions of old; an arrow function or a method makes nothing. */
function isConstructor(value: object): boolean {
  const prototype: unknown = Reflect.get(value, "prototype");
  return typeof prototype === "object" && prototype !== null && Object.hasOwn(prototype, "constructor");
}

/** The name of a type for people and for the graph; `anonymous` for a class without one. */
export function nameOf(type: unknown): string {
  if (!isBeanType(type)) return String(type);
  return typeof type.name === "string" && type.name !== "" ? type.name : "anonymous";
}
