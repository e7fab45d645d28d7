/**
 * The wiring: every bean with its dependencies, and the bean of each request.
 *
 *   TaskController ──▶ TaskService ──▶ TaskRepository
 */
import { type AsyncBeansBuilder, Beans, type Framework } from "framework";
// {{if work}}
// {{if redis}}
import type { Broadcast } from "framework/broadcast";
// {{end}}
import { Work } from "framework/work";
import type { Jobs } from "./jobs.ts";
// {{end}}
import { InMemoryTaskRepository } from "./tasks/in-memory-task-repository.ts";
import { JsonFileTaskRepository } from "./tasks/json-file-task-repository.ts";
import * as taskContracts from "./tasks/task-contracts.ts";
import { HttpTaskController, TaskController } from "./tasks/task-controller.ts";
// {{if work}}
// {{if redis}}
import { BroadcastTaskNotices, TaskNotices } from "./tasks/task-notices.ts";
// {{else}}
import { LoggedTaskNotices, TaskNotices } from "./tasks/task-notices.ts";
// {{end}}
// {{end}}
import { TaskRepository } from "./tasks/task-repository.ts";
import { RepositoryTaskService, TaskService } from "./tasks/task-service.ts";

// {{if redis}}
/** @param shared the tasks of all processes, or undefined if this process keeps its own */
// {{end}}
// {{if work}}
// {{if redis}}
export function bindBeans(
  dataFile: string | undefined,
  shared: TaskRepository | undefined,
  jobs: Jobs,
  broadcast: Broadcast,
): AsyncBeansBuilder {
  return Beans.builder()
    .bindInstance(Work, jobs.engine.work)
    .bind(TaskNotices, () => new BroadcastTaskNotices(broadcast))
    .bind(TaskRepository, (b) => jobs.tasks(b.get(Work), shared ?? ownTasks(dataFile)))
    .bind(TaskService, (b) => new RepositoryTaskService(b.get(TaskRepository)))
    .bind(TaskController, (b) => new HttpTaskController(b.get(TaskService)));
}
// {{else}}
export function bindBeans(dataFile: string | undefined, jobs: Jobs): AsyncBeansBuilder {
  return Beans.builder()
    .bindInstance(Work, jobs.engine.work)
    .bind(TaskNotices, () => new LoggedTaskNotices())
    .bind(TaskRepository, (b) => jobs.tasks(b.get(Work), ownTasks(dataFile)))
    .bind(TaskService, (b) => new RepositoryTaskService(b.get(TaskRepository)))
    .bind(TaskController, (b) => new HttpTaskController(b.get(TaskService)));
}
// {{end}}
// {{else}}
// {{if redis}}
export function bindBeans(dataFile: string | undefined, shared: TaskRepository | undefined): AsyncBeansBuilder {
  return Beans.builder()
    .bind(TaskRepository, () => shared ?? ownTasks(dataFile))
    .bind(TaskService, (b) => new RepositoryTaskService(b.get(TaskRepository)))
    .bind(TaskController, (b) => new HttpTaskController(b.get(TaskService)));
}
// {{else}}
export function bindBeans(dataFile: string | undefined): AsyncBeansBuilder {
  return Beans.builder()
    .bind(TaskRepository, () =>
      dataFile === undefined ? new InMemoryTaskRepository() : new JsonFileTaskRepository(dataFile),
    )
    .bind(TaskService, (b) => new RepositoryTaskService(b.get(TaskRepository)))
    .bind(TaskController, (b) => new HttpTaskController(b.get(TaskService)));
}
// {{end}}
// {{end}}

// {{if shared}}
const ownTasks = (dataFile: string | undefined): TaskRepository =>
  dataFile === undefined ? new InMemoryTaskRepository() : new JsonFileTaskRepository(dataFile);

// {{end}}
export function addRoutes(app: Framework): void {
  // {{if tools}}
  const tasks = { tags: ["tasks"], tool: true };
  // {{else}}
  const tasks = { tags: ["tasks"] };
  // {{end}}
  app.group("/tasks", tasks, (api) => {
    api.get("/", taskContracts.list, [TaskController, "list"]);
    api.post("/", taskContracts.add, [TaskController, "add"]);
    api.get("/{id}", taskContracts.show, [TaskController, "show"]);
    api.patch("/{id}", taskContracts.change, [TaskController, "change"]);
    api.delete("/{id}", taskContracts.remove, [TaskController, "remove"]);
  });
}
