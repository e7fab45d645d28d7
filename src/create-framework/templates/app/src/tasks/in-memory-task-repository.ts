/**
 * Keeps tasks in this process. They are lost when it ends.
 */
import type { Task } from "./task.ts";
import type { TaskRepository } from "./task-repository.ts";

export class InMemoryTaskRepository implements TaskRepository {
  readonly #tasks = new Map<string, Task>();

  async list(): Promise<readonly Task[]> {
    return [...this.#tasks.values()];
  }

  async find(id: string): Promise<Task | undefined> {
    return this.#tasks.get(id);
  }

  async save(task: Task): Promise<void> {
    this.#tasks.set(task.id, task);
  }

  async remove(id: string): Promise<boolean> {
    return this.#tasks.delete(id);
  }
}
