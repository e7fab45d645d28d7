/**
 * What a task is, and what clients may say of one.
 */
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
}

const fields = {
  title: Type.String({ maxLength: 200, pattern: "\\S" }),
  done: Type.Optional(Type.Boolean()),
};
const NewTask = Type.Object(fields, { additionalProperties: false });
const TaskChange = Type.Object({ ...fields, title: Type.Optional(fields.title) }, { additionalProperties: false });

/** The body of a new task. */
export const newTask = Compile(NewTask);
export type NewTask = Static<typeof NewTask>;

/** The body of a change: all of it can be left out. */
export const taskChange = Compile(TaskChange);
export type TaskChange = Static<typeof TaskChange>;
