/**
 * Keeps __plural__ in this process. They are lost when it ends.
 */
import type { __Type__ } from "./__file__.ts";
import type { __Type__Repository } from "./__file__-repository.ts";

export class InMemory__Type__Repository implements __Type__Repository {
  readonly #items = new Map<string, __Type__>();

  async list(): Promise<readonly __Type__[]> {
    return [...this.#items.values()];
  }

  async find(id: string): Promise<__Type__ | undefined> {
    return this.#items.get(id);
  }

  async save(item: __Type__): Promise<void> {
    this.#items.set(item.id, item);
  }

  async remove(id: string): Promise<boolean> {
    return this.#items.delete(id);
  }
}
