/**
 * Where jobs are kept until they are done, and the tasks that send them.
 *
 * {{if pg}}
 *   DATABASE_URL ──▶ PostgreSQL: a task and its job commit together        none ──▶ memory: lost with this process
 * {{else}}
 *   REDIS_URL ──▶ Redis: the job is sent after the task was saved          none ──▶ memory: lost with this process
 * {{end}}
 */
import { type EngineOptions, type JobEngine, type MemoryWork, memoryWork, type Work } from "framework/work";
// {{if pg}}
import { pgBossWork } from "framework/work/pg-boss";
import { openDatabase } from "./database.ts";
// {{else}}
import { bullmqWork } from "framework/work/bullmq";
import { createClient } from "redis";
// {{end}}
import { NotifyingTaskRepository } from "./tasks/notifying-task-repository.ts";
// {{if pg}}
import { PgTaskRepository } from "./tasks/pg-task-repository.ts";
import { TaskChanged } from "./tasks/task-jobs.ts";
// {{end}}
import type { TaskRepository } from "./tasks/task-repository.ts";

export interface Jobs {
  readonly engine: JobEngine;
  /** The tasks that send a job with each change. `own` are those that this process has without it. */
  tasks(work: Work, own: TaskRepository): TaskRepository;
  close(): Promise<void>;
}

/** Jobs in this process. A test runs them with `memoryWork({ manual: true })`. */
export const jobsInMemory = (engine: MemoryWork): Jobs => ({
  engine,
  tasks: (work, own) => new NotifyingTaskRepository(own, work),
  close: async () => undefined,
});

// {{if pg}}
export async function openJobs(url: string | undefined, metrics: EngineOptions["metrics"]): Promise<Jobs> {
  if (url === undefined) return jobsInMemory(memoryWork({ metrics }));
  const { pool, database } = await openDatabase(url);
  return {
    // A process that does no jobs sends them in transactions, and needs their queues beforehand.
    engine: pgBossWork({ db: pool, metrics, jobs: [TaskChanged] }),
    tasks: (work) => new PgTaskRepository(database, work),
    close: () => pool.end(),
  };
}
// {{else}}
export async function openJobs(url: string | undefined, metrics: EngineOptions["metrics"]): Promise<Jobs> {
  if (url === undefined) return jobsInMemory(memoryWork({ metrics }));
  const connection = createClient({ url });
  connection.on("error", () => undefined); // The engine reports it when Redis is away, and when it is back.
  await connection.connect();
  return {
    engine: bullmqWork({ connection, metrics }),
    tasks: (work, own) => new NotifyingTaskRepository(own, work),
    close: async () => connection.destroy(),
  };
}
// {{end}}
