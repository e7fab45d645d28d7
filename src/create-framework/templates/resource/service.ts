/**
 * Operations on __plural__.
 */
import { randomUUID } from "node:crypto";
import { Interface } from "framework";
import type { __Type__, __Type__Input } from "./__file__.ts";
import type { __Type__Repository } from "./__file__-repository.ts";

export interface __Type__Service {
  list(): Promise<readonly __Type__[]>;
  find(id: string): Promise<__Type__ | undefined>;
  add(input: __Type__Input): Promise<__Type__>;
  /** The replaced one, or undefined if there is none with that id. */
  replace(id: string, input: __Type__Input): Promise<__Type__ | undefined>;
  /** Did it exist? */
  remove(id: string): Promise<boolean>;
}
export const __Type__Service = Interface<__Type__Service>("__Type__Service");

export class Repository__Type__Service implements __Type__Service {
  readonly #repository: __Type__Repository;

  constructor(repository: __Type__Repository) {
    this.#repository = repository;
  }

  list(): Promise<readonly __Type__[]> {
    return this.#repository.list();
  }

  find(id: string): Promise<__Type__ | undefined> {
    return this.#repository.find(id);
  }

  async add(input: __Type__Input): Promise<__Type__> {
    const item: __Type__ = { id: randomUUID(), ...input };
    await this.#repository.save(item);
    return item;
  }

  async replace(id: string, input: __Type__Input): Promise<__Type__ | undefined> {
    if ((await this.#repository.find(id)) === undefined) return undefined;
    const item: __Type__ = { id, ...input };
    await this.#repository.save(item);
    return item;
  }

  remove(id: string): Promise<boolean> {
    return this.#repository.remove(id);
  }
}
