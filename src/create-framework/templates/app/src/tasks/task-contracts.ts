/**
 * The contracts of the task routes: they validate requests, type handlers, and produce the OpenAPI document.
 */
import { contract } from "framework";
import { newTask, taskChange, taskList, taskSchema } from "./task.ts";

export const list = contract({
  operationId: "listTasks",
  summary: "All tasks, oldest first",
  responses: { 200: taskList },
});
export const add = contract({
  operationId: "addTask",
  summary: "Adds a task",
  body: newTask,
  responses: { 201: taskSchema },
});
export const show = contract({ operationId: "showTask", summary: "A task", responses: { 200: taskSchema } });
export const change = contract({
  operationId: "changeTask",
  summary: "Changes some of a task",
  body: taskChange,
  responses: { 200: taskSchema },
});
export const remove = contract({ operationId: "removeTask", summary: "Removes a task", responses: { 204: null } });
