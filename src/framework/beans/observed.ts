/**
 * Observed beans: a resolver that reports each type it resolves.
 *
 *   ctx.get(Type) ──▶ the container ──▶ the bean; then each listener gets Type
 *
 * Without listeners it is the container itself, without a wrapper.
 */
import { tellWatchers } from "../internal/watchers.ts";
import type { BeanResolver, BeanType } from "./types.ts";

/** The resolver with its listeners. A listener's fault is isolated. */
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
