/**
 * Observes a promise without changing its outcome.
 *
 *   the bean's own promise ──▶ the caller
 *        └─ it is awaited (await, then, Promise.all …) ──▶ first of all the observer learns how it settles
 *
 * A handler marks a promise as handled. An observer's handler that is attached immediately would hide a rejection that no
 * code handles. On a derived promise, it would report a rejection that the bean has handled itself. So nothing is attached until
 * other code does. To wait for a native promise, code looks up its `constructor` first (ECMA-262 §27.2.4.7 and
 * §27.2.5.4), and until then a prototype with a getter of that name comes before its own. A promise that is not
 * awaited is not observed.
 *
 * Spec: spec/devtools.md
 */
import { privateSlot } from "../private-slot.ts";

/** Called when a promise settles, before the code that awaits it. Must not throw. */
export interface SettleObserver {
  fulfilled(value: unknown): void;
  rejected(error: unknown): void;
}

interface Observation {
  /** Its own prototype, while another one comes before it. */
  readonly prototype: object;
  /** The observers to call when the promise is awaited, or undefined from then on. */
  observers: SettleObserver[] | undefined;
}

const observed = privateSlot<Observation>();
const nativeThen = Promise.prototype.then;

/** Observes `promise`, any number of times. False if it cannot be observed: frozen, or with its own `constructor` property. */
export function observeSettling(promise: Promise<unknown>, observer: SettleObserver): boolean {
  const known = observed.get(promise);
  if (known !== undefined) {
    if (known.observers === undefined) attach(promise, [observer]);
    else known.observers.push(observer);
    return true;
  }
  if (!Object.isExtensible(promise) || Object.hasOwn(promise, "constructor")) return false;
  const prototype = Object.getPrototypeOf(promise) as object;
  observed.set(promise, { prototype, observers: [observer] });
  Object.setPrototypeOf(promise, lookoutBefore(prototype));
  return true;
}

const lookouts = new WeakMap<object, object>();

/** Inherits all of `prototype`, and notices when code looks up how to wait for one of its promises. */
function lookoutBefore(prototype: object): object {
  const known = lookouts.get(prototype);
  if (known !== undefined) return known;
  const lookout = Object.create(prototype, {
    constructor: {
      configurable: true,
      get(this: Promise<unknown>): unknown {
        begin(this);
        return Reflect.get(prototype, "constructor", this) as unknown;
      },
      set(this: Promise<unknown>, value: unknown) {
        begin(this);
        Reflect.set(prototype, "constructor", value, this);
      },
    },
  }) as object;
  lookouts.set(prototype, lookout);
  return lookout;
}

/** `promise` is awaited, so it gets its prototype back, and the observers are called first. */
function begin(promise: Promise<unknown>): void {
  const known = typeof promise === "object" ? observed.get(promise) : undefined;
  if (known?.observers === undefined) return;
  const { observers, prototype } = known;
  known.observers = undefined;
  if (!Reflect.setPrototypeOf(promise, prototype)) return;
  attach(promise, observers);
}

/** Attaches observers as to a plain promise, without running the constructor of a class that extends Promise. */
function attach(promise: Promise<unknown>, observers: readonly SettleObserver[]): void {
  const prototype = Object.getPrototypeOf(promise) as object;
  const isPlain = prototype === Promise.prototype;
  if (!isPlain && !Reflect.setPrototypeOf(promise, Promise.prototype)) return;
  for (const observer of observers)
    void nativeThen.call(
      promise,
      (value: unknown) => observer.fulfilled(value),
      (error: unknown) => observer.rejected(error),
    );
  if (!isPlain) Object.setPrototypeOf(promise, prototype);
}
