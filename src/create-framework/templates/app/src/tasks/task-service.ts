/**
 * Operations on tasks.
 */
import { randomUUID } from "node:crypto";
import { Interface } from "framework";
import type { NewTask, Task, TaskChange } from "./task.ts";
import type { TaskRepository } from "./task-repository.ts";

export interface TaskService {
  list(): Promise<readonly Task[]>;
  find(id: string): Promise<Task | undefined>;
  add(input: NewTask): Promise<Task>;
  /** The changed task, or undefined if there is none with that id. */
  change(id: string, input: TaskChange): Promise<Task | undefined>;
  /** Did it exist? */
  remove(id: string): Promise<boolean>;
}
export const TaskService = Interface<TaskService>("TaskService");

export class RepositoryTaskService implements TaskService {
  readonly #repository: TaskRepository;

  constructor(repository: TaskRepository) {
    this.#repository = repository;
  }

  list(): Promise<readonly Task[]> {
    return this.#repository.list();
  }

  find(id: string): Promise<Task | undefined> {
    return this.#repository.find(id);
  }

  async add(input: NewTask): Promise<Task> {
    const task: Task = { id: randomUUID(), done: false, ...input };
    await this.#repository.save(task);
    return task;
  }

  async change(id: string, input: TaskChange): Promise<Task | undefined> {
    const task = await this.#repository.find(id);
    if (task === undefined) return undefined;
    const changed: Task = { ...task, ...input };
    await this.#repository.save(changed);
    return changed;
  }

  remove(id: string): Promise<boolean> {
    return this.#repository.remove(id);
  }
}
