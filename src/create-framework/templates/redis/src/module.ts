/**
 * The wiring: every bean with its dependencies, and the bean of each request.
 *
 *   TaskController ──▶ TaskService ──▶ TaskRepository
 */
import { type AsyncBeansBuilder, Beans, type Framework } from "framework";
import { InMemoryTaskRepository } from "./tasks/in-memory-task-repository.ts";
import { JsonFileTaskRepository } from "./tasks/json-file-task-repository.ts";
import * as taskContracts from "./tasks/task-contracts.ts";
import { HttpTaskController, TaskController } from "./tasks/task-controller.ts";
import { TaskRepository } from "./tasks/task-repository.ts";
import { RepositoryTaskService, TaskService } from "./tasks/task-service.ts";

/** @param shared the tasks of all processes, or undefined if this process keeps its own */
export function bindBeans(dataFile: string | undefined, shared: TaskRepository | undefined): AsyncBeansBuilder {
  return Beans.builder()
    .bind(TaskRepository, () => shared ?? ownTasks(dataFile))
    .bind(TaskService, (b) => new RepositoryTaskService(b.get(TaskRepository)))
    .bind(TaskController, (b) => new HttpTaskController(b.get(TaskService)));
}

const ownTasks = (dataFile: string | undefined): TaskRepository =>
  dataFile === undefined ? new InMemoryTaskRepository() : new JsonFileTaskRepository(dataFile);

export function addRoutes(app: Framework): void {
  app.group("/tasks", { tags: ["tasks"] }, (api) => {
    api.get("/", taskContracts.list, [TaskController, "list"]);
    api.post("/", taskContracts.add, [TaskController, "add"]);
    api.get("/{id}", taskContracts.show, [TaskController, "show"]);
    api.patch("/{id}", taskContracts.change, [TaskController, "change"]);
    api.delete("/{id}", taskContracts.remove, [TaskController, "remove"]);
  });
}
