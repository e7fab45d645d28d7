import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stage } from "../testing/stage.ts";
import { methodsSlice } from "./sources.ts";

const place = { bean: "Orders", method: "find", file: "src/orders.ts", line: 12 };

describe("methodsSlice", () => {
  test("reads the places of methods once for each process, and finds them by bean and method", async () => {
    const asked: string[] = [];
    const { use } = await stage({ onRead: (name) => (asked.push(name), [{ ...place, line: 10 + asked.length }]) });
    const { load, placeOf } = use(methodsSlice);
    assert.equal(placeOf(place), undefined);
    for (const instance of ["i1", "i1", "i2", "i2"]) await load(instance);
    assert.deepEqual(asked, ["sources", "sources"]);
    assert.deepEqual(placeOf({ bean: "Orders", method: "find" }), place);
    assert.equal(placeOf({ bean: "Orders", method: "save" }), undefined);
  });

  test("is silent if they cannot be read, and asks again at the next look", async () => {
    let isDown = true;
    const { use } = await stage({ onRead: () => (isDown ? undefined : [place]) });
    const { load, placeOf } = use(methodsSlice);
    await load("i1");
    assert.equal(placeOf(place), undefined);
    isDown = false;
    await load("i1");
    assert.deepEqual(placeOf(place), place);
  });
});
