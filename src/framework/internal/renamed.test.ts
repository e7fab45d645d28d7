import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineRenamed } from "./renamed.ts";

class Kettle {
  static {
    defineRenamed(this.prototype, { heat: "kettle.heat() is kettle.boil() now", boil: "never said" });
  }

  boil(): string {
    return "hot";
  }
}

describe("defineRenamed", () => {
  test("makes a call, and a read, of an old name throw its sentence as RENAMED", () => {
    const kettle = new Kettle() as Kettle & { readonly heat: () => void };
    const told = { name: "TypeError", code: "RENAMED", message: "kettle.heat() is kettle.boil() now" };
    assert.throws(() => kettle.heat(), told);
    assert.throws(() => kettle.heat, told);
  });

  test("leaves members of the prototype itself alone", () => assert.equal(new Kettle().boil(), "hot"));

  test("hides an old name from enumeration", () => {
    const names: string[] = [];
    for (const name in new Kettle()) names.push(name);
    assert.deepEqual(names, []);
    assert.equal("heat" in new Kettle(), true);
  });
});
