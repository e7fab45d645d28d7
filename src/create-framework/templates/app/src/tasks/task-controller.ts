/**
 * Tasks over HTTP: reads requests, asks the service, responds.
 */
import { type Context, Interface, NotFoundError } from "framework";
import { newTask, type Task, taskChange } from "./task.ts";
import type { TaskService } from "./task-service.ts";

export interface TaskController {
  list(ctx: Context): Promise<readonly Task[]>;
  show(ctx: Context<"id">): Promise<Task>;
  add(ctx: Context): Promise<Task>;
  change(ctx: Context<"id">): Promise<Task>;
  remove(ctx: Context<"id">): Promise<void>;
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

  async show(ctx: Context<"id">): Promise<Task> {
    return (await this.#service.find(ctx.pathParam("id"))) ?? missing();
  }

  async add(ctx: Context): Promise<Task> {
    const task = await this.#service.add(await ctx.body(newTask));
    ctx.status(201).header("Location", `/tasks/${task.id}`);
    return task;
  }

  async change(ctx: Context<"id">): Promise<Task> {
    return (await this.#service.change(ctx.pathParam("id"), await ctx.body(taskChange))) ?? missing();
  }

  async remove(ctx: Context<"id">): Promise<void> {
    if (!(await this.#service.remove(ctx.pathParam("id")))) missing();
    ctx.status(204);
  }
}

function missing(): never {
  throw new NotFoundError("There is no such task");
}
