import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Repository__Type__Service } from "./__file__-service.ts";
import { InMemory__Type__Repository } from "./in-memory-__file__-repository.ts";

describe("Repository__Type__Service", () => {
  it("gives each a unique id", async () => {
    const service = new Repository__Type__Service(new InMemory__Type__Repository());
    const item = await service.add({ name: "First" });
    const other = await service.add({ name: "First" });
    assert.notEqual(item.id, other.id);
    assert.deepEqual(await service.list(), [item, other]);
  });

  it("replaces an existing item, and nothing for an unknown id", async () => {
    const service = new Repository__Type__Service(new InMemory__Type__Repository());
    const { id } = await service.add({ name: "First" });
    assert.deepEqual(await service.replace(id, { name: "Changed" }), { id, name: "Changed" });
    assert.equal(await service.replace("none", { name: "Changed" }), undefined);
    assert.deepEqual(await service.list(), [{ id, name: "Changed" }]);
  });
});
