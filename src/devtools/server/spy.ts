/**
 * Spy: an object that stands in for a bean and reports the calls of its methods.
 *
 *   caller ──▶ stand-in.find(7) ──▶ observer.call(…) ──▶ bean.find(7), with the bean itself as `this`
 *                 │ a proxy without a trap for reading, so that this stays fast
 *                 ├ own members: the bean's methods and fields, made once
 *                 ├ prototype: a proxy, reached only for what the bean grew later
 *                 └ everything else (assign, delete, define, list, ask for the prototype) goes to the bean
 *
 * With and without the stand-in the application sees the same results, the same errors, and the same kinds of result.
 * What remains different is listed in docs/devtools.md. Functions and proxies are left alone.
 *
 * Spec: spec/devtools.md (DEV)
 */
import { types } from "node:util";

/** Told of every call while it listens. `Where` is what it needs to know of the moment. */
export interface Observer<Where = unknown> {
  /** Where the running code is; undefined when nobody wants to know of the call. */
  where(): Where | undefined;
  /** Must call `method` on `self` once and return what it returned, `bean` replaced by `standIn`. */
  call(where: Where, call: Spied): unknown;
}

/** One call of a method. */
export interface Spied {
  readonly name: string;
  readonly method: Callable;
  readonly self: unknown;
  readonly args: unknown[];
  readonly bean: object;
  readonly standIn: object;
}

/** Any function, called through Reflect.apply. */
export type Callable = (...args: never[]) => unknown;

const inspect = Symbol.for("nodejs.util.inspect.custom");
/** Methods that the language itself calls; passed on, not reported. */
const quiet: ReadonlySet<PropertyKey> = new Set(["toString", "toLocaleString", "valueOf", "toJSON", "then"]);

/** A stand-in for the bean; the bean itself when there can be none. */
export function spyOn<T extends object>(bean: T, observer: Observer): T {
  if (typeof bean === "function" || types.isProxy(bean)) return bean;
  const members = Object.create(behind(bean, observer, () => standIn)) as T;
  const standIn: T = new Proxy(
    members,
    reaching(bean, () => standIn),
  );
  const seen = new Set<PropertyKey>(["constructor"]);
  for (let object: object = bean; object !== Object.prototype && !types.isProxy(object);) {
    for (const key of Reflect.ownKeys(object)) {
      const member = Object.getOwnPropertyDescriptor(object, key);
      if (seen.has(key) || member === undefined) continue;
      seen.add(key);
      Object.defineProperty(members, key, memberOf(bean, standIn, key, member, object === bean, observer));
    }
    const above: unknown = Object.getPrototypeOf(object);
    if (typeof above !== "object" || above === null) break;
    object = above;
  }
  hide(members, "toJSON", bean);
  hide(members, inspect, bean);
  return standIn;
}

/**
 * What is done to the stand-in reaches the bean; what the bean refuses is refused in the language's own words, which is
 * why the traps use the operators: modules are strict. A method that was replaced is then read through the prototype.
 */
function reaching<T extends object>(bean: T, standIn: () => T): ProxyHandler<T> {
  const members = bean as Record<PropertyKey, unknown>;
  return {
    set(own, key, value, receiver) {
      if (receiver !== standIn()) return Reflect.set(bean, key, value, receiver);
      members[key] = value;
      return forget(own, key);
    },
    deleteProperty(own, key) {
      delete members[key];
      return forget(own, key);
    },
    defineProperty(own, key, descriptor) {
      Object.defineProperty(bean, key, descriptor);
      return forget(own, key);
    },
    getOwnPropertyDescriptor(_own, key) {
      const descriptor = Reflect.getOwnPropertyDescriptor(bean, key);
      return descriptor && { ...descriptor, configurable: true }; // A proxy may report no other one.
    },
    ownKeys: () => Reflect.ownKeys(bean),
    has: (_own, key) => Reflect.has(bean, key),
    getPrototypeOf: () => Reflect.getPrototypeOf(bean),
    setPrototypeOf: (_own, prototype) => Reflect.setPrototypeOf(bean, prototype),
    preventExtensions: () => false,
  };
}

/** A method made once gives way to what the bean has now; a field is read from the bean anyway. */
function forget(own: object, key: PropertyKey): boolean {
  const made = Object.getOwnPropertyDescriptor(own, key);
  return made?.value === undefined || Reflect.deleteProperty(own, key);
}

/** Serialising and printing the stand-in shows the bean. */
function hide(standIn: object, key: PropertyKey, bean: object): void {
  if (!(key in bean)) Object.defineProperty(standIn, key, { value: () => bean, configurable: true, writable: true });
}

function memberOf(
  bean: object,
  standIn: object,
  key: PropertyKey,
  member: PropertyDescriptor,
  own: boolean,
  observer: Observer,
): PropertyDescriptor {
  const enumerable = own && member.enumerable === true;
  const value: unknown = member.value;
  if (isMethod(value)) {
    const method =
      quiet.has(key) || typeof key === "symbol"
        ? passed(bean, standIn, key, value)
        : spied(bean, standIn, String(key), value, observer);
    return { value: method, writable: true, configurable: true, enumerable };
  }
  return {
    get: () => Reflect.get(bean, key, bean) as unknown,
    configurable: true,
    enumerable,
  };
}

/** A function that is called, not constructed. */
function isMethod(value: unknown): value is Callable {
  if (typeof value !== "function" || types.isProxy(value)) return false;
  const prototype = Object.getOwnPropertyDescriptor(value, "prototype");
  return prototype === undefined || (prototype.writable === true && !hasMembers(prototype.value));
}

const hasMembers = (prototype: unknown): boolean =>
  typeof prototype === "object" &&
  prototype !== null &&
  Reflect.ownKeys(prototype).some((key) => key !== "constructor");

/**
 * The method, reported. Looks the method up at each call, so that replacing it on the bean takes effect. Calls with few
 * arguments that nobody wants to know of, which are most, are made without a list of them.
 */
function spied(bean: object, standIn: object, name: string, original: Callable, observer: Observer): Callable {
  const methods = bean as Readonly<Record<string, Callable | undefined>>;
  const call = (where: unknown, caller: unknown, given: number, ...all: unknown[]): unknown => {
    const args = all.slice(0, given);
    const method = methods[name] ?? original;
    const self = caller === standIn ? bean : caller;
    if (where !== undefined) return observer.call(where, { name, method, self, args, bean, standIn });
    const result: unknown = Reflect.apply(method, self, args);
    return result === bean ? standIn : result;
  };
  return dressed(original, function (this: unknown, a?: unknown, b?: unknown, ...more: unknown[]): unknown {
    const given = arguments.length;
    const where = observer.where();
    if (where !== undefined || given > 2) return call(where, this, given, a, b, ...more);
    const method = methods[name] ?? original;
    const self = this === standIn ? bean : this;
    const result: unknown =
      given === 1
        ? Reflect.apply(method, self, [a])
        : given === 0
          ? Reflect.apply(method, self, [])
          : Reflect.apply(method, self, [a, b]);
    return result === bean ? standIn : result;
  });
}

/** The method, passed on. */
function passed(bean: object, standIn: object, key: PropertyKey, original: Callable): Callable {
  return dressed(original, function (this: unknown, ...args: unknown[]): unknown {
    const method = (Reflect.get(bean, key, bean) ?? original) as Callable;
    const result: unknown = Reflect.apply(method, this === standIn ? bean : this, args);
    return result === bean ? standIn : result;
  });
}

/** `around`, with the name, the length and the extra properties of `original`. */
function dressed(original: Callable, around: (this: unknown, ...args: unknown[]) => unknown): Callable {
  for (const key of ["name", "length"] as const) {
    const property = Object.getOwnPropertyDescriptor(original, key);
    if (property !== undefined) Object.defineProperty(around, key, property);
  }
  if (Reflect.ownKeys(original).some((key) => !usual.has(key))) Object.setPrototypeOf(around, original);
  return around;
}

const usual: ReadonlySet<PropertyKey> = new Set(["name", "length", "prototype", "arguments", "caller"]);

/** What the stand-in inherits from: members that the bean got after it was wrapped, and those every object has. */
function behind(bean: object, observer: Observer, standIn: () => object): object {
  const methods = new Map<PropertyKey, { readonly original: unknown; readonly method: Callable }>();
  return new Proxy(Object.create(Object.getPrototypeOf(bean) as object | null) as object, {
    get(_target, key) {
      const value: unknown = Reflect.get(bean, key, bean);
      if (key === "constructor" || !isMethod(value)) return value;
      const known = methods.get(key);
      if (known?.original === value) return known.method;
      const plain = typeof key === "symbol" || quiet.has(key) || Reflect.get(Object.prototype, key) === value;
      const method = plain ? passed(bean, standIn(), key, value) : spied(bean, standIn(), key, value, observer);
      methods.set(key, { original: value, method });
      return method;
    },
    set: (_target, key, value) => Reflect.set(bean, key, value, bean),
    has: (_target, key) => Reflect.has(bean, key),
  });
}
