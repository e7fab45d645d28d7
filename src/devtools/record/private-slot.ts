/**
 * Private slots: values kept on objects that belong to other code.
 *
 *   set(object, value) ──▶ a private field on the object ──▶ get(object)
 *
 * No other code can see, copy or overwrite the value, and it goes with the object. A WeakMap promises the same, but makes
 * the garbage collector look at every entry: where there is one per request, that is microseconds each.
 */

/** One private slot of objects. */
export interface PrivateSlot<V> {
  /** The value on the object; undefined where there is none. */
  get(object: object): V | undefined;
  /** Puts the value on the object, in place of an earlier one. */
  set(object: object, value: V): void;
}

/** A constructor that gives back the object it was given: the fields of a class that extends it land on that object. */
const ReturnedObject = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** Makes a slot of its own. */
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
