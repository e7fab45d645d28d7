import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { __Type__ } from "./__file__.ts";
import { InMemory__Type__Repository } from "./in-memory-__file__-repository.ts";

const first: __Type__ = { id: "1", name: "First" };
const second: __Type__ = { id: "2", name: "Second" };

describe("InMemory__Type__Repository", () => {
  it("keeps saved items in order, and replaces in place", async () => {
    const repository = new InMemory__Type__Repository();
    await repository.save(first);
    await repository.save(second);
    await repository.save({ ...first, name: "Changed" });
    assert.deepEqual(await repository.list(), [{ id: "1", name: "Changed" }, second]);
    assert.deepEqual(await repository.find("2"), second);
  });

  it("removes once", async () => {
    const repository = new InMemory__Type__Repository();
    await repository.save(first);
    assert.deepEqual([await repository.remove("1"), await repository.remove("1")], [true, false]);
    assert.equal(await repository.find("1"), undefined);
  });
});
