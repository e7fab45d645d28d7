/**
 * Observer: operations of a client that the application gave to `devtools.watch`, as leaves.
 *
 *   client.query(…) ──▶ a leaf begins, under the call that is running ──▶ the client's own method ──▶ the leaf ends
 *
 * The client's method gets the same `this` and arguments, and its caller the same result or error. A fault of the observer is
 * reported once and never reaches the application.
 *
 * Spec: spec/leaves.md
 */
import { types } from "node:util";
import type { LeafKind } from "../../../run/shapes.ts";
import type { Frame } from "../../recorder.ts";
import { observeSettling } from "../../spy/observed-promise.ts";
import type { Callable } from "../../spy/parameters.ts";
import type { Description } from "../descriptions.ts";
import type { Leaves, OpenLeaf } from "../leaves.ts";

/** The parts of devtools that an observer needs. */
export interface ObserverTools {
  readonly leaves: Leaves;
  /** The function, bound to the current run. */
  bind<F extends Callable>(callback: F): F;
  /** The place of the running code in a run. */
  where(): Frame | undefined;
}

/** One operation. */
export interface Operation {
  readonly kind: LeafKind;
  begun(): Description;
  /** The description that its result adds. */
  ended(result: unknown): Description;
}

/** How an operation ended. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** Records the operations of one kind of client. */
export class Observer {
  readonly #source: string;
  readonly #tools: ObserverTools;

  /** @param source the client's name in a report of a fault */
  constructor(source: string, tools: ObserverTools) {
    this.#source = source;
    this.#tools = tools;
  }

  /** The function, bound to the current run. */
  bound<F extends Callable>(callback: F): F {
    return this.#tools.bind(callback);
  }

  begin({ kind, begun }: Operation): OpenLeaf | undefined {
    return this.#tools.leaves.begin(this.#source, kind, begun);
  }

  end(leaf: OpenLeaf | undefined, operation: Operation, outcome: Outcome): void {
    if (leaf === undefined) return;
    if ("error" in outcome) this.#tools.leaves.end(leaf, undefined, outcome);
    else this.#tools.leaves.end(leaf, () => operation.ended(outcome.result));
  }

  /**
   * Returns a function that adds a leaf at the place of the running code, from now until it is called. An empty description
   * adds none.
   */
  later(kind: LeafKind): (description: Description) => void {
    const [frame, from] = [this.#tools.where(), performance.now()];
    return (description) => {
      if (frame === undefined || Object.keys(description).length === 0) return;
      const durationMs = performance.now() - from;
      this.#tools.leaves.add(this.#source, kind, () => ({ ...description, durationMs }), frame);
    };
  }

  /** Runs the client's own method. Messages of a library or an instrumentation during it are the same operation. */
  once<R>(run: () => R): R {
    return this.#tools.leaves.once(run);
  }

  /** Runs an operation that returns, throws, or returns a promise. */
  run<R>(operation: Operation, method: () => R): R {
    const leaf = this.begin(operation);
    let result: R;
    try {
      result = this.once(method);
    } catch (error) {
      this.end(leaf, operation, { error });
      throw error;
    }
    if (leaf !== undefined)
      if (types.isPromise(result)) this.settle(result, (outcome) => this.end(leaf, operation, outcome));
      else this.end(leaf, operation, { result });
    return result;
  }

  /** Calls `settled` when other code awaits the promise and it settles. */
  settle(promise: unknown, settled: (outcome: Outcome) => void): void {
    if (!types.isPromise(promise)) return;
    this.attempt(() =>
      observeSettling(promise, { fulfilled: (result) => settled({ result }), rejected: (error) => settled({ error }) }),
    );
  }

  /** Runs code of the observer's own. */
  attempt<R>(run: () => R): R | undefined {
    return this.#tools.leaves.attempt(this.#source, run);
  }
}

/** Whether each of these members is a function. */
export const has = (client: object, ...names: readonly string[]): boolean =>
  names.every((name) => isFunction(Reflect.get(client, name)));

/** Whether it can be called. */
export const isFunction = (value: unknown): value is Callable => typeof value === "function";

/** Puts a method before the client's own one of that name. Without one it does nothing. */
export function replace(client: object, name: string, make: (own: Callable) => Callable): void {
  const own: unknown = Reflect.get(client, name);
  if (!isFunction(own)) return;
  const value = make(own);
  Object.defineProperties(value, { name: { value: own.name }, length: { value: own.length } });
  const enumerable = Object.getOwnPropertyDescriptor(client, name)?.enumerable ?? false;
  Object.defineProperty(client, name, { configurable: true, writable: true, enumerable, value });
}

/** Calls the client's own method. */
export const call = (own: Callable, self: unknown, args: readonly unknown[]): unknown =>
  Reflect.apply(own, self, args as never[]) as unknown;
