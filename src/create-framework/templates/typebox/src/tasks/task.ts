/**
 * A task, and the data that clients may send for one.
 */
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";

const Sent = Type.Object({ id: Type.String(), title: Type.String(), done: Type.Boolean() });
const fields = { title: Type.String({ maxLength: 200, pattern: "\\S" }), done: Type.Optional(Type.Boolean()) };
const NewTask = Type.Object(fields, { additionalProperties: false });
const TaskChange = Type.Object({ ...fields, title: Type.Optional(fields.title) }, { additionalProperties: false });

/** A task in a response. */
export const taskSchema = Compile(Sent);
export const taskList = Compile(Type.Array(Sent));
export type Task = Readonly<Static<typeof Sent>>;

/** The body of a new task. */
export const newTask = Compile(NewTask);
export type NewTask = Static<typeof NewTask>;

/** The body of a change. All members are optional. */
export const taskChange = Compile(TaskChange);
export type TaskChange = Static<typeof TaskChange>;
