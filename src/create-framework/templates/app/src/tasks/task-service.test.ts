import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InMemoryTaskRepository } from "./in-memory-task-repository.ts";
import { RepositoryTaskService } from "./task-service.ts";

describe("RepositoryTaskService", () => {
  it("adds a task that is not done and has a unique id", async () => {
    const service = new RepositoryTaskService(new InMemoryTaskRepository());
    const task = await service.add({ title: "Buy milk" });
    const other = await service.add({ title: "Buy milk" });
    assert.deepEqual(task, { id: task.id, title: "Buy milk", done: false });
    assert.notEqual(task.id, other.id);
    assert.deepEqual(await service.list(), [task, other]);
  });

  it("changes only the given fields", async () => {
    const service = new RepositoryTaskService(new InMemoryTaskRepository());
    const { id } = await service.add({ title: "Buy milk" });
    assert.deepEqual(await service.change(id, { done: true }), { id, title: "Buy milk", done: true });
    assert.deepEqual(await service.find(id), { id, title: "Buy milk", done: true });
  });

  it("changes nothing if there is no such task", async () => {
    const service = new RepositoryTaskService(new InMemoryTaskRepository());
    assert.equal(await service.change("1", { done: true }), undefined);
    assert.deepEqual(await service.list(), []);
  });
});
