/**
 * Observed beans: a resolver that tells of each type it resolves.
 *
 *   ctx.get(Type) ──▶ the container ──▶ the bean; then each listener hears of Type
 *
 * Without listeners it is the container itself: then nothing is in between.
 */
import { tellWatchers } from "../internal/watchers.ts";
import type { BeanResolver, BeanType } from "./types.ts";

/** The resolver, and those who listen behind it. A listener's fault stays its own. */
export function observedBeans(
  beans: BeanResolver,
  listeners: readonly ((type: BeanType<object>) => void)[],
): BeanResolver {
  if (listeners.length === 0) return beans;
  return {
    get: <T extends object>(type: BeanType<T>): T => {
      const bean = beans.get(type);
      tellWatchers(listeners, type);
      return bean;
    },
  };
}
