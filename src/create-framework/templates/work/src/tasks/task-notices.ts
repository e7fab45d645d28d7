/**
 * Tells others about a changed task: the work that no request waits for. A sample, to be replaced by your mail or webhook.
 */
import { Interface } from "framework";
// {{if redis}}
import type { Broadcast } from "framework/broadcast";
// {{else}}
import type { JobRun } from "framework";
// {{end}}
import type { TaskEvent } from "./task-jobs.ts";

export interface TaskNotices {
  // {{if redis}}
  send(event: TaskEvent): Promise<void>;
  // {{else}}
  send(event: TaskEvent, run: JobRun): Promise<void>;
  // {{end}}
}
export const TaskNotices = Interface<TaskNotices>("TaskNotices");

// {{if redis}}
/** Tells every client of `/events`. */
export class BroadcastTaskNotices implements TaskNotices {
  readonly #broadcast: Broadcast;

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast;
  }

  async send({ id, change }: TaskEvent): Promise<void> {
    await this.#broadcast.publish("tasks", `${change} ${id}`);
  }
}
// {{else}}
/** Writes a line, with the id of the request that caused it. */
export class LoggedTaskNotices implements TaskNotices {
  async send({ id, change }: TaskEvent, { log }: JobRun): Promise<void> {
    log.info(`the task ${id} was ${change}`);
  }
}
// {{end}}
