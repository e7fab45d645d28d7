/**
 * Private slots: values kept on objects that belong to other code.
 *
 *   set(object, value) ──▶ a private field on the object ──▶ get(object)
 *
 * No other code can see, copy or overwrite the value, and its lifetime is that of the object. A WeakMap would do the same, but
 * makes the garbage collector look at every entry. With one entry per request, that is microseconds each.
 */

/** One private slot of objects. */
export interface PrivateSlot<V> {
  /** The value on the object, or undefined without one. */
  get(object: object): V | undefined;
  /** Puts the value on the object, and replaces an earlier one. */
  set(object: object, value: V): void;
}

/** A constructor that returns its argument. The fields of a class that extends it are put on that object. */
const ReturnedObject = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** Makes a separate slot. */
export function privateSlot<V>(): PrivateSlot<V> {
  return class Slot extends ReturnedObject {
    #value: V;

    constructor(object: object, value: V) {
      super(object);
      this.#value = value;
    }

    static get(object: object): V | undefined {
      return #value in object ? object.#value : undefined;
    }

    static set(object: object, value: V): void {
      if (#value in object) object.#value = value;
      else void new Slot(object, value);
    }
  };
}
