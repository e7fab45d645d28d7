/**
 * A task, and the data that clients may send for one.
 */
import { z } from "zod";

/** A task in a response. `meta` names it in the OpenAPI document. */
export const taskSchema = z.object({ id: z.string(), title: z.string(), done: z.boolean() }).meta({ id: "Task" });
export const taskList = z.array(taskSchema);
export type Task = Readonly<z.infer<typeof taskSchema>>;

/** The body of a new task. */
export const newTask = z.strictObject({ title: z.string().trim().min(1).max(200), done: z.boolean().optional() });
export type NewTask = z.infer<typeof newTask>;

/** The body of a change. All members are optional. */
export const taskChange = newTask.partial();
export type TaskChange = z.infer<typeof taskChange>;
