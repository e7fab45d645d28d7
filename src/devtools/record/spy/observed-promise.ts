/**
 * Observing a promise without changing what becomes of it.
 *
 *   the bean's own promise ──▶ the caller
 *        └─ it is awaited (await, then, Promise.all …) ──▶ first of all the observer learns how it settles
 *
 * A handler marks a promise as handled. Attached by an observer at once, it would hide a rejection that no code handles;
 * handed on from a derived promise, it would report one that the bean has handled itself. So nothing is attached until
 * other code does: to wait for a native promise it looks up its `constructor` first (ECMA-262 §27.2.4.7 and
 * §27.2.5.4), and until then a prototype with a getter of that name stands before its own. A promise that is not
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

/** What is known of an observed promise. */
interface Observation {
  /** Its own prototype, while another one stands before that. */
  readonly prototype: object;
  /** The observers to call once the promise is awaited; undefined from then on. */
  observers: SettleObserver[] | undefined;
}

const observed = privateSlot<Observation>();
const nativeThen = Promise.prototype.then;

/** Observes `promise`, any number of times. False where it cannot be: frozen, or with a constructor of its own. */
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

/** By prototype, what stands before it. */
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

/** `promise` is awaited: it gets its prototype back, and the observers are called first. */
function begin(promise: Promise<unknown>): void {
  const known = typeof promise === "object" ? observed.get(promise) : undefined;
  if (known?.observers === undefined) return;
  const { observers, prototype } = known;
  known.observers = undefined;
  if (!Reflect.setPrototypeOf(promise, prototype)) return;
  attach(promise, observers);
}

/** Attaches observers as to a plain promise: the constructor of a class that extends Promise is not run for them. */
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
