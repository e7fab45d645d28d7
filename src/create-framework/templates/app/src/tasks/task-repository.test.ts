import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { InMemoryTaskRepository } from "./in-memory-task-repository.ts";
import { JsonFileTaskRepository } from "./json-file-task-repository.ts";
import type { Task } from "./task.ts";
import type { TaskRepository } from "./task-repository.ts";

const milk: Task = { id: "1", title: "Buy milk", done: false };
const bread: Task = { id: "2", title: "Buy bread", done: false };
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "tasks-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const kinds: Record<string, (name: string) => TaskRepository> = {
  InMemoryTaskRepository: () => new InMemoryTaskRepository(),
  JsonFileTaskRepository: (name) => new JsonFileTaskRepository(join(folder, name, "tasks.json")),
};

for (const [kind, create] of Object.entries(kinds)) {
  describe(kind, () => {
    it("is empty at first", async () => {
      const repository = create("empty");
      assert.deepEqual(await repository.list(), []);
      assert.equal(await repository.find("1"), undefined);
    });

    it("keeps saved tasks in order, also when saved at the same time", async () => {
      const repository = create("order");
      await Promise.all([repository.save(milk), repository.save(bread)]);
      assert.deepEqual(await repository.list(), [milk, bread]);
    });

    it("replaces a task in its place", async () => {
      const repository = create("replace");
      await repository.save(milk);
      await repository.save(bread);
      await repository.save({ ...milk, done: true });
      assert.deepEqual(await repository.list(), [{ ...milk, done: true }, bread]);
    });

    it("removes a task once", async () => {
      const repository = create("remove");
      await repository.save(milk);
      assert.deepEqual([await repository.remove("1"), await repository.remove("1")], [true, false]);
      assert.deepEqual(await repository.list(), []);
    });
  });
}

describe("JsonFileTaskRepository", () => {
  it("finds what another one wrote", async () => {
    const file = join(folder, "shared.json");
    await new JsonFileTaskRepository(file).save(milk);
    assert.deepEqual(await new JsonFileTaskRepository(file).find("1"), milk);
  });
});
