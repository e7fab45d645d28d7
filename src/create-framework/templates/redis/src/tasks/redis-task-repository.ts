/**
 * Keeps tasks in Redis, for all processes: each as JSON in a hash, their order in a sorted set.
 *
 * A change is one transaction, so no process sees half of it. If Redis is away, the response is 503, and the client may try
 * again.
 */
import { ServiceUnavailableError } from "framework";
import type { RedisClient } from "../redis.ts";
import type { Task } from "./task.ts";
import type { TaskRepository } from "./task-repository.ts";

const tasks = "tasks";
const order = "tasks:order";
const last = "tasks:last";

export class RedisTaskRepository implements TaskRepository {
  readonly #client: RedisClient;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  list(): Promise<readonly Task[]> {
    return replied(async () => {
      const ids = await this.#client.zRange(order, 0, -1);
      const texts = ids.length === 0 ? [] : await this.#client.hmGet(tasks, ids);
      return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as Task])); // It may be gone by now.
    });
  }

  find(id: string): Promise<Task | undefined> {
    return replied(async () => {
      const text = await this.#client.hGet(tasks, id);
      return text === null ? undefined : (JSON.parse(text) as Task);
    });
  }

  save(task: Task): Promise<void> {
    return replied(async () => {
      const score = await this.#client.incr(last);
      const place = { score, value: task.id };
      await this.#client
        .multi()
        .hSet(tasks, task.id, JSON.stringify(task))
        .zAdd(order, place, { condition: "NX" })
        .exec();
    });
  }

  remove(id: string): Promise<boolean> {
    return replied(async () => {
      const [removed] = await this.#client.multi().hDel(tasks, id).zRem(order, id).exec();
      return Number(removed) === 1;
    });
  }
}

async function replied<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw new ServiceUnavailableError("tasks are not available now", { cause, headers: { "Retry-After": "5" } });
  }
}
