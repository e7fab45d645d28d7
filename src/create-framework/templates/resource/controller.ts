/**
 * __Plural__ over HTTP: reads requests, asks the service, responds.
 */
import { type Context, Interface, NotFoundError } from "framework";
import { type __Type__, __variable__Input } from "./__file__.ts";
import type { __Type__Service } from "./__file__-service.ts";

export interface __Type__Controller {
  list(ctx: Context): Promise<readonly __Type__[]>;
  show(ctx: Context<"id">): Promise<__Type__>;
  add(ctx: Context): Promise<__Type__>;
  replace(ctx: Context<"id">): Promise<__Type__>;
  remove(ctx: Context<"id">): Promise<void>;
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

  async show(ctx: Context<"id">): Promise<__Type__> {
    return (await this.#service.find(ctx.pathParam("id"))) ?? missing();
  }

  async add(ctx: Context): Promise<__Type__> {
    const item = await this.#service.add(await ctx.body(__variable__Input));
    ctx.status(201).header("Location", `__path__/${item.id}`);
    return item;
  }

  async replace(ctx: Context<"id">): Promise<__Type__> {
    return (await this.#service.replace(ctx.pathParam("id"), await ctx.body(__variable__Input))) ?? missing();
  }

  async remove(ctx: Context<"id">): Promise<void> {
    if (!(await this.#service.remove(ctx.pathParam("id")))) missing();
    ctx.status(204);
  }
}

function missing(): never {
  throw new NotFoundError("There is nothing of that id");
}
