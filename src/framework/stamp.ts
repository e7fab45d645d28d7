/**
 * Stamps: values kept on objects that belong to somebody else.
 *
 *   set(object, value) ──▶ a private field on the object ──▶ get(object)
 *
 * Nobody else can see, copy or overwrite the value, and it goes with the object. A WeakMap promises the same, but makes
 * the garbage collector look at every entry: where there is one per request, that is microseconds each.
 */

/** One kind of stamp. */
export interface Stamps<V> {
  /** The value on the object; undefined where there is none. */
  get(object: object): V | undefined;
  /** Puts the value on the object, in place of an earlier one. */
  set(object: object, value: V): void;
}

/** Makes a kind of stamp of its own. */
export function stamps<V>(): Stamps<V> {
  /** Its constructor gives back the object it was given, so the field of the class below lands on that object. */
  class Given {
    constructor(object: object) {
      // oxlint-disable-next-line no-constructor-return -- that is what it is for
      return object;
    }
  }
  return class Stamp extends Given {
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
      else void new Stamp(object, value);
    }
  };
}
