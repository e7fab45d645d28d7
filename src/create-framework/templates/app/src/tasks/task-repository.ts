/**
 * Stores tasks. Two implementations: in memory, and in a JSON file.
 */
import { Interface } from "framework";
import type { Task } from "./task.ts";

export interface TaskRepository {
  /** All tasks, oldest first. */
  list(): Promise<readonly Task[]>;
  find(id: string): Promise<Task | undefined>;
  /** Adds the task, or replaces the one with the same id in its place. */
  save(task: Task): Promise<void>;
  /** Did it exist? */
  remove(id: string): Promise<boolean>;
}
export const TaskRepository = Interface<TaskRepository>("TaskRepository");
