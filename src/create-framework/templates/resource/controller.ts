/**
 * __Plural__ over HTTP: reads requests, calls the service, responds.
 */
import { type ContextOf, Interface, NotFoundError } from "framework";
import type { __Type__ } from "./__file__.ts";
import type * as contracts from "./__file__-contracts.ts";
import type { __Type__Service } from "./__file__-service.ts";

export interface __Type__Controller {
  list(ctx: ContextOf<typeof contracts.list>): Promise<readonly __Type__[]>;
  show(ctx: ContextOf<typeof contracts.show, "id">): Promise<__Type__>;
  add(ctx: ContextOf<typeof contracts.add>): Promise<__Type__>;
  replace(ctx: ContextOf<typeof contracts.replace, "id">): Promise<__Type__>;
  remove(ctx: ContextOf<typeof contracts.remove, "id">): Promise<void>;
}
export const __Type__Controller = Interface<__Type__Controller>("__Type__Controller");

export class Http__Type__Controller implements __Type__Controller {
  readonly #service: __Type__Service;

  constructor(service: __Type__Service) {
    this.#service = service;
  }

  list(): Promise<readonly __Type__[]> {
    return this.#service.list();
  }

  async show(ctx: ContextOf<typeof contracts.show, "id">): Promise<__Type__> {
    return (await this.#service.find(ctx.pathParam("id"))) ?? missing();
  }

  async add(ctx: ContextOf<typeof contracts.add>): Promise<__Type__> {
    const item = await this.#service.add(ctx.input.body);
    ctx.status(201).setHeader("Location", `__path__/${item.id}`);
    return item;
  }

  async replace(ctx: ContextOf<typeof contracts.replace, "id">): Promise<__Type__> {
    return (await this.#service.replace(ctx.pathParam("id"), ctx.input.body)) ?? missing();
  }

  async remove(ctx: ContextOf<typeof contracts.remove, "id">): Promise<void> {
    if (!(await this.#service.remove(ctx.pathParam("id")))) missing();
    ctx.status(204);
  }
}

function missing(): never {
  throw new NotFoundError("There is nothing of that id");
}
