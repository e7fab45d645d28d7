/**
 * Interface: gives a TypeScript interface, which does not exist at run time, a token as its key.
 *
 *   interface Clock { now(): number }
 *   const Clock = Interface<Clock>("Clock")      one name: the type and its key
 *
 * Tokens are compared by identity. Two with one name are two keys, so export a token and import it everywhere.
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

/** In the registry of the whole process, so that another copy of this package recognizes a token. */
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
 * Is the bean bound as an interface, that is, by a token, or by a class that has not made it? `abstract` does not exist at run
 * time. So without the bean, a class counts as the class that will make it.
 */
export function isInterface(type: object, bean?: object): boolean {
  return typeof type !== "function" || (bean !== undefined && makerOf(bean) !== type);
}

/** The maker of an object according to its `constructor`. Undefined when it is unreadable. */
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

/** Classes and old constructor functions, but no arrow functions and methods. */
function isConstructor(value: object): boolean {
  const prototype: unknown = Reflect.get(value, "prototype");
  return typeof prototype === "object" && prototype !== null && Object.hasOwn(prototype, "constructor");
}

/** The name of a type for people and for the graph. `anonymous` for a class without one. */
export function nameOf(type: unknown): string {
  if (!isBeanType(type)) return String(type);
  return typeof type.name === "string" && type.name !== "" ? type.name : "anonymous";
}
