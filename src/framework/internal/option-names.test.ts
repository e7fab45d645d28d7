import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkOptionNames, unknownName } from "./option-names.ts";

describe("checkOptionNames", () => {
  const names = ["maxAge", "preload"];
  test("accepts known options, and none", () => {
    checkOptionNames("X", {}, names);
    checkOptionNames("X", { maxAge: 1, preload: undefined }, names);
  });

  test("names the unknown option, the known ones and the likely one, with the given code", () => {
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

  test("rejects a value that is not an object", () => {
    for (const given of [null, "maxAge", 1])
      assert.throws(() => checkOptionNames("X", given as never, names), {
        message: `X is ${given}: an object of maxAge, preload is allowed`,
      });
  });
});

describe("unknownName", () => {
  test("is the first unknown name", () => {
    assert.deepEqual([unknownName({ a: 1, b: 1, c: 1 }, ["a"]), unknownName({ a: 1 }, ["a"])], ["b", undefined]);
  });
});
