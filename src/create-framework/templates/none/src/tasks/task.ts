/**
 * A task, and the data that clients may send for one.
 */
import { checked, documented, type Issue, membersOf } from "../schema.ts";

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

/** The body of a change. All members are optional. */
export interface TaskChange {
  readonly title?: string;
  readonly done?: boolean;
}

const MAX_TITLE = 200;
const title = { type: "string", maxLength: MAX_TITLE, pattern: "\\S" };
const done = { type: "boolean" };
const fields = { type: "object", properties: { title, done }, additionalProperties: false };
const sent = {
  type: "object",
  properties: { id: { type: "string" }, title: { type: "string" }, done },
  required: ["id", "title", "done"],
};

/** A task in a response. */
export const taskSchema = documented<Task>(sent);
export const taskList = documented<readonly Task[]>({ type: "array", items: sent });

export const newTask = checked<NewTask>({ ...fields, required: ["title"] }, (value) => {
  const { change, issues } = read(value);
  if (change.title !== undefined && issues.length === 0) return { value: { ...change, title: change.title } };
  const hasTitle = change.title !== undefined || issues.some(({ path }) => path.length === 0 || path[0] === "title");
  return { issues: hasTitle ? issues : [{ path: ["title"], message: "is missing" }, ...issues] };
});

export const taskChange = checked<TaskChange>(fields, (value) => {
  const { change, issues } = read(value);
  return issues.length === 0 ? { value: change } : { issues };
});

/** The content of a body, with each mistake in it. */
function read(value: unknown): { readonly change: TaskChange; readonly issues: readonly Issue[] } {
  const found = membersOf(value, ["title", "done"]);
  if (found === undefined) return { change: {}, issues: [{ path: [], message: "must be an object" }] };
  const { title, done } = found.members;
  const isTitle = typeof title === "string" && title.trim() !== "" && title.length <= MAX_TITLE;
  const issues = [...found.issues];
  if (title !== undefined && !isTitle)
    issues.push({ path: ["title"], message: `must be text of 1 to ${MAX_TITLE} characters` });
  if (done !== undefined && typeof done !== "boolean")
    issues.push({ path: ["done"], message: "must be true or false" });
  return {
    change: { ...(isTitle ? { title: title.trim() } : {}), ...(typeof done === "boolean" ? { done } : {}) },
    issues,
  };
}
