/**
 * A task, and the data that clients may send for one.
 */
import * as v from "valibot";

/** A task in a response. */
export const taskSchema = v.object({ id: v.string(), title: v.string(), done: v.boolean() });
export const taskList = v.array(taskSchema);
export type Task = Readonly<v.InferOutput<typeof taskSchema>>;

/** The body of a new task. */
export const newTask = v.strictObject({
  title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  done: v.optional(v.boolean()),
});
export type NewTask = v.InferOutput<typeof newTask>;

/** The body of a change. All members are optional. */
export const taskChange = v.partial(newTask);
export type TaskChange = v.InferOutput<typeof taskChange>;
