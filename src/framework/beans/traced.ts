/**
 * Traced beans: calls of a bean with an interface, on the channel `tracing:framework.bean`.
 *
 *   container ──start, somebody listens──▶ one more decorator ──▶ a proxy that publishes each call of a method
 *
 * A call that a bean makes on itself is not traced, since it does not pass through the proxy.
 *
 * Spec: spec/tracing.md
 */
import { heardTracing, runTraced, type Tracing } from "../internal/tracing-channels.ts";
import type { BeanDecorator, BeanInfo } from "./types.ts";

/**
 * The decorators of a container that starts now, the outermost ones after the others. This one is the last, since a recorder
 * leaves proxies alone.
 */
export function withTracing(decorators: readonly BeanDecorator[]): readonly BeanDecorator[] {
  const tracing = heardTracing("bean");
  const given = decorators.filter((one) => !(one instanceof TracingBeans)); // That of a container below.
  const isOutermost = ({ outermost }: BeanDecorator): boolean => outermost === true;
  const ordered = [...given.filter((one) => !isOutermost(one)), ...given.filter(isOutermost)];
  return tracing === undefined ? ordered : [...ordered, new TracingBeans(tracing)];
}

/** Publishes the calls of beans. */
class TracingBeans implements BeanDecorator {
  readonly #tracing: Tracing;

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  decorate<T extends object>(bean: T, { id, isInterface }: BeanInfo): T {
    if (!isInterface || typeof bean === "function") return bean;
    const tracing = this.#tracing;
    const methods = new Map<unknown, unknown>();
    return new Proxy(bean, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function" || typeof name !== "string" || name === "constructor") return value;
        if (isFixed(target, name)) return value;
        const known = methods.get(value);
        if (known !== undefined) return known;
        const method = value as (...args: unknown[]) => unknown;
        const traced = (...args: unknown[]): unknown =>
          runTraced(tracing, { bean: id, method: name, args }, () => Reflect.apply(method, target, args));
        methods.set(value, traced);
        return traced;
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    });
  }
}

/** A proxy must return such a property as it is. */
function isFixed(target: object, name: string): boolean {
  const own = Reflect.getOwnPropertyDescriptor(target, name);
  return own !== undefined && own.configurable === false && own.writable === false;
}
