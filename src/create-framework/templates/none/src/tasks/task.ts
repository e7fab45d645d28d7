/**
 * What a task is, and what clients may say of one.
 */
import { UnprocessableContentError } from "framework";

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
}

/** The body of a new task. */
export interface NewTask {
  readonly title: string;
  readonly done?: boolean;
}

/** The body of a change: all of it can be left out. */
export interface TaskChange {
  readonly title?: string;
  readonly done?: boolean;
}

const MAX_TITLE = 200;

/** Checks a new task's body. @throws UnprocessableContentError (422) naming each mistake */
export function newTask(value: unknown): NewTask {
  const { title, ...rest } = taskChange(value);
  if (title === undefined) throw new UnprocessableContentError([{ path: ["title"], message: "is missing" }]);
  return { title, ...rest };
}

/** Checks a change's body. @throws UnprocessableContentError (422) naming each mistake */
export function taskChange(value: unknown): TaskChange {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UnprocessableContentError([{ path: [], message: "must be an object" }]);
  }
  const { title, done, ...unknown } = value as Record<string, unknown>;
  const issues = Object.keys(unknown).map((key) => ({ path: [key], message: "is unknown" }));
  const isTitle = typeof title === "string" && title.trim() !== "" && title.length <= MAX_TITLE;
  if (title !== undefined && !isTitle)
    issues.push({ path: ["title"], message: `must be text of 1 to ${MAX_TITLE} characters` });
  if (done !== undefined && typeof done !== "boolean")
    issues.push({ path: ["done"], message: "must be true or false" });
  if (issues.length > 0) throw new UnprocessableContentError(issues);
  return { ...(isTitle ? { title: title.trim() } : {}), ...(typeof done === "boolean" ? { done } : {}) };
}
