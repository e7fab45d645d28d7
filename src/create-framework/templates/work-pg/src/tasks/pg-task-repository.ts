/**
 * Keeps tasks in PostgreSQL, for all processes. A change and its job are one transaction: neither exists without the other.
 *
 * If the database is away, the response is 503, and the client may try again.
 */
import { ServiceUnavailableError } from "framework";
import type { Work } from "framework/work";
import type { Database } from "../database.ts";
import { TaskChanged } from "./task-jobs.ts";
import type { Task } from "./task.ts";
import type { TaskRepository } from "./task-repository.ts";

export class PgTaskRepository implements TaskRepository {
  readonly #database: Database;
  readonly #work: Work;

  constructor(database: Database, work: Work) {
    this.#database = database;
    this.#work = work;
  }

  list(): Promise<readonly Task[]> {
    return replied(async () => {
      const { rows } = await this.#database.query<Task>("select id, title, done from tasks order by place");
      return rows;
    });
  }

  find(id: string): Promise<Task | undefined> {
    return replied(async () => {
      const { rows } = await this.#database.query<Task>("select id, title, done from tasks where id = $1", [id]);
      return rows[0];
    });
  }

  save({ id, title, done }: Task): Promise<void> {
    return replied(() =>
      this.#database.transaction(async (tx) => {
        await tx.query(
          `insert into tasks (id, title, done) values ($1, $2, $3)
           on conflict (id) do update set title = excluded.title, done = excluded.done`,
          [id, title, done],
        );
        await this.#work.send(TaskChanged, { id, change: "saved" }, { tx });
      }),
    );
  }

  remove(id: string): Promise<boolean> {
    return replied(() =>
      this.#database.transaction(async (tx) => {
        const { rows } = await tx.query("delete from tasks where id = $1 returning id", [id]);
        if (rows.length > 0) await this.#work.send(TaskChanged, { id, change: "removed" }, { tx });
        return rows.length > 0;
      }),
    );
  }
}

/** An error of a statement has a code of PostgreSQL, and is a mistake. Any other is one of the connection. */
async function replied<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const { code = "" } = Object(cause) as { code?: string };
    if (/^[0-9A-Z]{5}$/.test(code) && !/^(?:08|53|57)/.test(code)) throw cause;
    throw new ServiceUnavailableError("tasks are not available now", { cause, headers: { "Retry-After": "5" } });
  }
}
