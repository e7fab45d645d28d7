/**
 * Async place: what runs in which asynchronous context, as an `AsyncLocalStorage` says, asked for often.
 *
 *   run(place, work) ──▶ AsyncLocalStorage ◀── now(): looked up once in a turn, then known by the number of the turn
 *
 * Before Node 24 a store hangs on the resource of the code that runs, and looking it up goes through the runtime; the number of
 * that resource is there at once. Numbers are given once, and a store changes by `run` alone, so what was found for a number
 * stays true until then. Where the runtime keeps stores another way, or gives no number, every question is asked.
 *
 * Spec: spec/devtools.md
 */
import { AsyncLocalStorage, executionAsyncId, executionAsyncResource } from "node:async_hooks";

/** The least number that belongs to one resource: 0 is what the runtime calls without any, 1 the start of the program. */
const leastOwn = 2;
/** The number of no resource. */
const nowhere = -1;

/** Values of one kind, each in an asynchronous context of its own. */
export class AsyncPlace<T extends object> {
  readonly #storage = new AsyncLocalStorage<T>();
  /** Is what was found for a number true until `run` changes it? Seen in the first run. */
  #knows: boolean | undefined;
  /** What was found last, and for which number; the number of none while nothing is known. */
  #at = nowhere;
  #found: T | undefined;

  /** The value where the running code is. */
  now(): T | undefined {
    const at = executionAsyncId();
    if (at === this.#at) return this.#found;
    const found = this.#storage.getStore();
    this.#note(at, found);
    return found;
  }

  /** Calls `work` with that value in its place, and in that of all it starts. */
  run<A extends readonly unknown[], R>(value: T, work: (...args: A) => R, ...args: A): R {
    if (this.#knows === undefined) return this.#runFirst(value, () => work(...args));
    const at = executionAsyncId();
    const before = at === this.#at ? this.#found : this.#storage.getStore();
    this.#note(at, value);
    try {
      return this.#storage.run(value, work, ...args);
    } finally {
      this.#note(at, before);
    }
  }

  #runFirst<R>(value: T, work: () => R): R {
    try {
      return this.#storage.run(value, () => {
        this.#knows = isOnResource(value);
        return work();
      });
    } finally {
      this.#note(nowhere, undefined);
    }
  }

  #note(at: number, found: T | undefined): void {
    const isKnown = this.#knows === true && at >= leastOwn;
    this.#at = isKnown ? at : nowhere;
    this.#found = isKnown ? found : undefined;
  }
}

/** Does the store hang on the resource of the running code, whose number is that of no other? */
function isOnResource(store: object): boolean {
  const resource = executionAsyncResource() as Readonly<Record<PropertyKey, unknown>>;
  return Object.getOwnPropertySymbols(resource).some((key) => resource[key] === store);
}
