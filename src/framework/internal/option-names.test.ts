import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkOptionNames, unknownName } from "./option-names.ts";

describe("checkOptionNames", () => {
  const names = ["maxAge", "preload"];
  test("takes options that exist, and none", () => {
    checkOptionNames("X", {}, names);
    checkOptionNames("X", { maxAge: 1, preload: undefined }, names);
  });

  test("names what does not exist, what does, and what was meant, with the code it is given", () => {
    assert.throws(() => checkOptionNames("X", { maxAge: 1, maxage: 1 }, names), {
      name: "TypeError",
      code: "CONFIG_INVALID",
      message: "X has no option maxage: maxAge, preload can be set; did you mean maxAge?",
    });
    assert.throws(() => checkOptionNames("X", { constructor: 1 }, names, "MULTIPART"), {
      code: "MULTIPART",
      message: "X has no option constructor: maxAge, preload can be set",
    });
  });

  test("says so where they are no object", () => {
    for (const given of [null, "maxAge", 1])
      assert.throws(() => checkOptionNames("X", given as never, names), {
        message: `X is ${given}: an object of maxAge, preload is allowed`,
      });
  });
});

describe("unknownName", () => {
  test("is the first that there is not", () => {
    assert.deepEqual([unknownName({ a: 1, b: 1, c: 1 }, ["a"]), unknownName({ a: 1 }, ["a"])], ["b", undefined]);
  });
});
