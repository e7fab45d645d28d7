/**
 * Keeps tasks in a JSON file. For one process only, since a second one would overwrite the first one's changes.
 *
 *   save, remove ──one after another──▶ read ▸ change ▸ write beside ▸ rename
 *
 * The rename makes each write atomic: a crash leaves the old file or the new one, never half of one.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Task } from "./task.ts";
import type { TaskRepository } from "./task-repository.ts";

export class JsonFileTaskRepository implements TaskRepository {
  readonly #file: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  async list(): Promise<readonly Task[]> {
    try {
      return JSON.parse(await readFile(this.#file, "utf8")) as Task[];
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  }

  async find(id: string): Promise<Task | undefined> {
    return (await this.list()).find((task) => task.id === id);
  }

  save(task: Task): Promise<void> {
    return this.#oneAfterAnother(async () => {
      const tasks = await this.list();
      const isNew = !tasks.some(({ id }) => id === task.id);
      await this.#write(isNew ? [...tasks, task] : tasks.map((old) => (old.id === task.id ? task : old)));
    });
  }

  remove(id: string): Promise<boolean> {
    return this.#oneAfterAnother(async () => {
      const tasks = await this.list();
      const left = tasks.filter((task) => task.id !== id);
      if (left.length < tasks.length) await this.#write(left);
      return left.length < tasks.length;
    });
  }

  #oneAfterAnother<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#last.then(change);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #write(tasks: readonly Task[]): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(`${this.#file}.new`, `${JSON.stringify(tasks, undefined, 2)}\n`);
    await rename(`${this.#file}.new`, this.#file);
  }
}
