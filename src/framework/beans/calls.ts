/**
 * Calls: an object that replaces a bean and passes the calls of its methods through an observer.
 *
 *   caller ──▶ wrapper.find(7) ──▶ observer.call(…) ──▶ bean.find(7), with the bean itself as `this`
 *                 │ own members: the bean's methods and fields, made once; assigning to one assigns to the bean
 *                 ▼ prototype: a proxy, reached only for what the bean grew later, and for what was deleted
 *
 * With and without the wrapper the application sees the same results, the same errors, and the same kinds of result.
 * The remaining differences are listed in docs/devtools.md. The wrapper is not a proxy, which would cost each call 20 ns.
 * Functions and proxies are left alone.
 *
 * Spec: spec/devtools.md, spec/tracing.md
 */

/** Called for every call while it listens. `Where` is the place of the running code. */
export interface CallObserver<Where = unknown> {
  /** The place of the running code, or undefined when the call is not observed. */
  where(): Where | undefined;
  /** Must call `method` on `self` once and return its result, `bean` replaced by `wrapper`. */
  call(where: Where, call: MethodCall): unknown;
}

/** One call of a method. */
export interface MethodCall {
  readonly name: string;
  readonly method: (...args: never[]) => unknown;
  readonly self: unknown;
  readonly args: unknown[];
  readonly bean: object;
  readonly wrapper: object;
}

type Callable = (...args: never[]) => unknown;

/** On a platform that cannot tell, a proxy is like any object. */
const isProxy = (value: unknown): boolean =>
  globalThis.process?.getBuiltinModule?.("node:util")?.types.isProxy(value) === true;
const inspect = Symbol.for("nodejs.util.inspect.custom");
/** Methods that the language itself calls; passed on, not reported. */
const quiet: ReadonlySet<PropertyKey> = new Set(["toString", "toLocaleString", "valueOf", "toJSON", "then"]);

/**
 * A wrapper for the bean, whose methods are called through the observer. The bean itself if it is a function or a proxy. For
 * decorators of beans.
 */
export function observeCalls<T extends object, Where>(bean: T, observer: CallObserver<Where>): T {
  if (typeof bean === "function" || isProxy(bean)) return bean;
  const had = new Set<PropertyKey>(Reflect.ownKeys(bean));
  const wrapper = Object.create(behind(bean, had, observer, () => wrapper)) as T;
  const seen = new Set<PropertyKey>(["constructor"]);
  for (let object: object = bean; object !== Object.prototype && !isProxy(object);) {
    for (const key of Reflect.ownKeys(object)) {
      const member = Object.getOwnPropertyDescriptor(object, key);
      if (seen.has(key) || member === undefined) continue;
      seen.add(key);
      const method = isMethod(member.value) ? methodOf(bean, wrapper, key, member.value, observer) : undefined;
      const isOwn = object === bean;
      Object.defineProperty(wrapper, key, {
        ...through(bean, had, key, method),
        enumerable: isOwn && member.enumerable === true,
        configurable: !isOwn || member.configurable === true,
      });
    }
    const above: unknown = Object.getPrototypeOf(object);
    if (typeof above !== "object" || above === null) break;
    object = above;
  }
  // Serialising and printing the wrapper shows the bean.
  for (const key of ["toJSON", inspect])
    if (!seen.has(key) && !(key in Object.prototype))
      Object.defineProperty(wrapper, key, { ...through(bean, had, key, () => bean), configurable: true });
  return wrapper;
}

/**
 * The bean's member, read and assigned through the wrapper. Modules are strict, so an assignment that the bean rejects throws
 * the language's own error. A method is read as its reporting version, until another one is assigned.
 */
function through(bean: object, had: Set<PropertyKey>, key: PropertyKey, method: Callable | undefined): Accessors {
  const members = bean as Record<PropertyKey, unknown>;
  let reporting = method;
  return {
    get: () => reporting ?? members[key],
    set(given) {
      // An object that inherits from the wrapper gets its own member, as it would from the bean.
      if (!Object.hasOwn(this, key)) return void Reflect.set(bean, key, given, this);
      members[key] = given;
      reporting = undefined;
      had.add(key);
      return undefined;
    },
  };
}

interface Accessors {
  readonly get: () => unknown;
  readonly set: (this: object, given: unknown) => void;
}

/** The wrapper's version of a method. It is reported, or passed on if the language itself calls it. */
const methodOf = (
  bean: object,
  wrapper: object,
  key: PropertyKey,
  method: Callable,
  observer: CallObserver,
): Callable =>
  typeof key === "symbol" || quiet.has(key)
    ? passed(bean, wrapper, key, method)
    : spied(bean, wrapper, String(key), method, observer);

/** A function that is called, not constructed. */
function isMethod(value: unknown): value is Callable {
  if (typeof value !== "function" || isProxy(value)) return false;
  const prototype = Object.getOwnPropertyDescriptor(value, "prototype");
  return prototype === undefined || (prototype.writable === true && !hasMembers(prototype.value));
}

const hasMembers = (prototype: unknown): boolean =>
  typeof prototype === "object" &&
  prototype !== null &&
  Reflect.ownKeys(prototype).some((key) => key !== "constructor");

/**
 * The method, reported. Looks the method up at each call, so that replacing it on the bean takes effect. Calls with few
 * arguments that are not recorded, which are most, are made without a list of them.
 */
function spied(bean: object, wrapper: object, name: string, original: Callable, observer: CallObserver): Callable {
  const methods = bean as Readonly<Record<string, Callable | undefined>>;
  const call = (where: unknown, caller: unknown, args: unknown[]): unknown => {
    const method = methods[name] ?? original;
    const self = caller === wrapper ? bean : caller;
    if (where !== undefined) return observer.call(where, { name, method, self, args, bean, wrapper });
    const result: unknown = Reflect.apply(method, self, args);
    return result === bean ? wrapper : result;
  };
  return dressed(original, function (this: unknown, a?: unknown, b?: unknown, ...more: unknown[]): unknown {
    const given = arguments.length;
    const where = observer.where();
    if (given > 2) return call(where, this, [a, b, ...more]);
    if (where !== undefined) return call(where, this, given === 1 ? [a] : given === 0 ? [] : [a, b]);
    const method = methods[name] ?? original;
    const self = this === wrapper ? bean : this;
    const result: unknown =
      given === 1
        ? Reflect.apply(method, self, [a])
        : given === 0
          ? Reflect.apply(method, self, [])
          : Reflect.apply(method, self, [a, b]);
    return result === bean ? wrapper : result;
  });
}

function passed(bean: object, wrapper: object, key: PropertyKey, original: Callable): Callable {
  return dressed(original, function (this: unknown, ...args: unknown[]): unknown {
    const method = (Reflect.get(bean, key, bean) ?? original) as Callable;
    const result: unknown = Reflect.apply(method, this === wrapper ? bean : this, args);
    return result === bean ? wrapper : result;
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

/**
 * The wrapper's prototype, with members that the bean got after it was wrapped, and those of every object. If a member
 * that the wrapper had is requested here, it was deleted from the wrapper, so it is deleted from the bean.
 */
function behind(bean: object, had: Set<PropertyKey>, observer: CallObserver, wrapper: () => object): object {
  const members = bean as Record<PropertyKey, unknown>;
  const methods = new Map<PropertyKey, { readonly original: unknown; readonly method: Callable }>();
  const catchUp = (key: PropertyKey): void => {
    if (had.has(key) && !Object.hasOwn(wrapper(), key) && had.delete(key)) Reflect.deleteProperty(bean, key);
  };
  return new Proxy(Object.create(Object.getPrototypeOf(bean) as object | null) as object, {
    get(_target, key) {
      catchUp(key);
      const value: unknown = Reflect.get(bean, key, bean);
      if (key === "constructor" || !isMethod(value)) return value;
      const known = methods.get(key);
      if (known?.original === value) return known.method;
      const isInherited = Reflect.get(Object.prototype, key) === value;
      const method = isInherited
        ? passed(bean, wrapper(), key, value)
        : methodOf(bean, wrapper(), key, value, observer);
      methods.set(key, { original: value, method });
      return method;
    },
    set(_target, key, value, receiver) {
      if (receiver !== wrapper()) return Reflect.set(bean, key, value, receiver);
      catchUp(key);
      members[key] = value;
      had.add(key);
      const enumerable = Object.getOwnPropertyDescriptor(bean, key)?.enumerable === true;
      return Reflect.defineProperty(receiver, key, {
        ...through(bean, had, key, undefined),
        enumerable,
        configurable: true,
      });
    },
    has(_target, key) {
      catchUp(key);
      return Reflect.has(bean, key);
    },
  });
}
