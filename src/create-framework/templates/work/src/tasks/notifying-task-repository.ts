/**
 * Sends a job after each change of the tasks below it.
 *
 * {{if pg}}
 * For tasks in memory. Those in PostgreSQL have their job in the same transaction: pg-task-repository.ts.
 * {{else}}
 * Redis has no transaction for both: a process that dies between them leaves a changed task without its job. Where that matters,
 * keep the tasks and the jobs in PostgreSQL. If the job cannot be sent, the request fails, and the client may send it again.
 * {{end}}
 */
import type { Work } from "framework/work";
import { TaskChanged } from "./task-jobs.ts";
import type { Task } from "./task.ts";
import type { TaskRepository } from "./task-repository.ts";

export class NotifyingTaskRepository implements TaskRepository {
  readonly #tasks: TaskRepository;
  readonly #work: Work;

  constructor(tasks: TaskRepository, work: Work) {
    this.#tasks = tasks;
    this.#work = work;
  }

  list(): Promise<readonly Task[]> {
    return this.#tasks.list();
  }

  find(id: string): Promise<Task | undefined> {
    return this.#tasks.find(id);
  }

  async save(task: Task): Promise<void> {
    await this.#tasks.save(task);
    await this.#work.send(TaskChanged, { id: task.id, change: "saved" });
  }

  async remove(id: string): Promise<boolean> {
    const isRemoved = await this.#tasks.remove(id);
    if (isRemoved) await this.#work.send(TaskChanged, { id, change: "removed" });
    return isRemoved;
  }
}
