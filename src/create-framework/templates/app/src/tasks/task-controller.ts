/**
 * Tasks over HTTP: reads requests, calls the service, responds.
 */
import { type ContextOf, Interface, NotFoundError } from "framework";
import type { Task } from "./task.ts";
import type * as contracts from "./task-contracts.ts";
import type { TaskService } from "./task-service.ts";

export interface TaskController {
  list(ctx: ContextOf<typeof contracts.list>): Promise<readonly Task[]>;
  show(ctx: ContextOf<typeof contracts.show, "id">): Promise<Task>;
  add(ctx: ContextOf<typeof contracts.add>): Promise<Task>;
  change(ctx: ContextOf<typeof contracts.change, "id">): Promise<Task>;
  remove(ctx: ContextOf<typeof contracts.remove, "id">): Promise<void>;
}
export const TaskController = Interface<TaskController>("TaskController");

export class HttpTaskController implements TaskController {
  readonly #service: TaskService;

  constructor(service: TaskService) {
    this.#service = service;
  }

  list(): Promise<readonly Task[]> {
    return this.#service.list();
  }

  async show(ctx: ContextOf<typeof contracts.show, "id">): Promise<Task> {
    return (await this.#service.find(ctx.pathParam("id"))) ?? missing();
  }

  async add(ctx: ContextOf<typeof contracts.add>): Promise<Task> {
    const task = await this.#service.add(ctx.input.body);
    ctx.status(201).setHeader("Location", `/tasks/${task.id}`);
    return task;
  }

  async change(ctx: ContextOf<typeof contracts.change, "id">): Promise<Task> {
    return (await this.#service.change(ctx.pathParam("id"), ctx.input.body)) ?? missing();
  }

  async remove(ctx: ContextOf<typeof contracts.remove, "id">): Promise<void> {
    if (!(await this.#service.remove(ctx.pathParam("id")))) missing();
    ctx.status(204);
  }
}

function missing(): never {
  throw new NotFoundError("There is no such task");
}
