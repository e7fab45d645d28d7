/**
 * Closing: the order in which beans end, one after another. It continues when one fails.
 *
 *   created A, B, C; A uses B ──▶ closingOrder: C, A, B ──▶ closeAll
 *   close()  else  [Symbol.asyncDispose]()  else  [Symbol.dispose]()  else nothing
 *
 * While nothing returns a promise, everything is closed before the call returns. A failing synchronous `start()` relies on
 * that.
 */
import { isThenable } from "../internal/thenable.ts";

/**
 * The closing order: the latest bean first, but each after all beans that use it. In a cycle of beans, the latest of them is
 * first, for any edges within.
 *
 * The cycles are the strongly connected components of the graph, which Tarjan's algorithm finds users first.
 *
 * @param created in creation order
 * @param usersOf the beans that asked for that bean
 */
export function closingOrder(created: readonly object[], usersOf: ReadonlyMap<object, Iterable<object>>): object[] {
  const ages = new Map(created.map((bean, age) => [bean, age]));
  const latestFirst = (beans: Iterable<object>): object[] =>
    [...beans].filter((bean) => ages.has(bean)).sort((a, b) => (ages.get(b) ?? 0) - (ages.get(a) ?? 0));
  const order: object[] = [];
  const numbers = new Map<object, number>();
  const open: object[] = [];
  const visit = (bean: object): number => {
    const number = numbers.size;
    numbers.set(bean, number);
    const start = open.push(bean) - 1;
    let lowest = number;
    for (const user of latestFirst(usersOf.get(bean) ?? [])) {
      // A bean already in the order has no relevant number.
      lowest = Math.min(lowest, numbers.get(user) ?? visit(user));
    }
    if (lowest < number) return lowest;
    const round = open.splice(start);
    for (const closed of round) numbers.set(closed, Number.POSITIVE_INFINITY);
    order.push(...latestFirst(round));
    return Number.POSITIVE_INFINITY;
  };
  for (const bean of latestFirst(created)) if (!numbers.has(bean)) visit(bean);
  return order;
}

/** Closes every bean of the list. Returns the errors, in that order. Never rejects. */
export async function closeAll(beans: readonly object[]): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const bean of beans) {
    try {
      const closing = closerOf(bean)?.call(bean);
      if (isThenable(closing)) await closing;
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

function closerOf(bean: object): ((this: object) => unknown) | undefined {
  // A runtime that lacks one of the symbols looks for a member that no bean has.
  for (const key of ["close", Symbol.asyncDispose, Symbol.dispose]) {
    const method: unknown = Reflect.get(bean, key);
    if (typeof method === "function") return method as (this: object) => unknown;
  }
  return undefined;
}
