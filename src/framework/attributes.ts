/**
 * Attributes: what middleware notes on a request for those further in.
 *
 *   name, value, name, value …      a handful, found sooner in a list than in a Map
 *
 * Spec: spec/context.md (CTX)
 */

/** The attributes of one request. Made when the first one is set. */
export class Attributes {
  readonly #list: unknown[] = [];

  get(name: string): unknown {
    const at = this.#find(name);
    return at < this.#list.length ? this.#list[at + 1] : undefined;
  }

  set(name: string, value: unknown): void {
    const at = this.#find(name);
    if (at < this.#list.length) this.#list[at + 1] = value;
    else this.#list.push(name, value);
  }

  /** Where the name stands, or would. */
  #find(name: string): number {
    let at = 0;
    while (at < this.#list.length && this.#list[at] !== name) at += 2;
    return at;
  }
}
