import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { privateSlot } from "./private-slot.ts";

describe("privateSlot", () => {
  it("keeps a value on an object, and replaces an earlier one", () => {
    const kept = privateSlot<number>();
    const object = {};
    const before = kept.get(object);
    kept.set(object, 1);
    const first = kept.get(object);
    kept.set(object, 2);
    deepEqual([before, first, kept.get(object)], [undefined, 1, 2]);
  });

  it("keeps two slots apart", () => {
    const [one, other] = [privateSlot<string>(), privateSlot<string>()];
    const object = {};
    one.set(object, "one");
    deepEqual([one.get(object), other.get(object)], ["one", undefined]);
  });

  it("leaves no trace that the owner of the object can see", () => {
    const kept = privateSlot<number>();
    const object = Object.freeze({ own: true });
    kept.set(object, 1);
    deepEqual([Reflect.ownKeys(object), kept.get(object)], [["own"], 1]);
  });
});
