/**
 * The wiring: every bean and what it is made of, and which request goes to which of them.
 *
 *   TaskController ──▶ TaskService ──▶ TaskRepository
 */
import { type AsyncBeansBuilder, Beans, type Framework } from "framework";
import { InMemoryTaskRepository } from "./tasks/in-memory-task-repository.ts";
import { JsonFileTaskRepository } from "./tasks/json-file-task-repository.ts";
import { HttpTaskController, TaskController } from "./tasks/task-controller.ts";
import { TaskRepository } from "./tasks/task-repository.ts";
import { RepositoryTaskService, TaskService } from "./tasks/task-service.ts";

export function bindBeans(dataFile: string | undefined): AsyncBeansBuilder {
  return Beans.builder()
    .bind(TaskRepository, () =>
      dataFile === undefined ? new InMemoryTaskRepository() : new JsonFileTaskRepository(dataFile),
    )
    .bind(TaskService, (b) => new RepositoryTaskService(b.get(TaskRepository)))
    .bind(TaskController, (b) => new HttpTaskController(b.get(TaskService)));
}

export function addRoutes(app: Framework): void {
  app.group("/tasks", (api) => {
    api.get("/", [TaskController, "list"]);
    api.post("/", [TaskController, "add"]);
    api.get("/{id}", [TaskController, "show"]);
    api.patch("/{id}", [TaskController, "change"]);
    api.delete("/{id}", [TaskController, "remove"]);
  });
}
