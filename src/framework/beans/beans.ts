/**
 * Beans: objects that are made once, shared, and closed at the end.
 *
 *   Beans.builder() ── bind, bindAsync, bindInstance, override, instrument ──▶ start() ──▶ beans.get(Type) ──▶ beans.close()
 *
 * A missing bean, a cycle or a failing factory is an error at start, with the chain that led to it, and leaves nothing open.
 */
import { Builder, type BeansBuilder } from "./builder.ts";
import type { Beans as RunningBeans } from "./types.ts";

/** A running container. */
export type Beans = RunningBeans;

/**
 * Starts every container. With a running one, the new one is on top of it: its factories get the beans of both, the decorators
 * of both apply, and it shows all beans. It closes only its own, and must be closed first.
 *
 * @example
 * ```ts
 * const beans = Beans.builder()
 *   .bind(OrderRepository, b => new SqlOrderRepository(b.get(Database)))
 *   .bind(Database, () => new Database(url))
 *   .start();
 * ```
 */
export const Beans: { builder(below?: RunningBeans): BeansBuilder } = {
  builder: (below?: RunningBeans): BeansBuilder => new Builder(below),
};
