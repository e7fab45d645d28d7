/** The likely intended name for an unknown one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { didYouMean } from "./suggestion.ts";

describe("didYouMean", () => {
  const names = ["accept", "maxBodyBytes", "beans", "use"];
  const meant: Readonly<Record<string, string>> = {
    maxBodybytes: "maxBodyBytes",
    maxBodyByte: "maxBodyBytes",
    maxBody: "",
    accepts: "accept",
    acept: "accept",
    bean: "beans",
    uses: "use",
    middleware: "",
    maxBdyBytez: "maxBodyBytes",
    xyuse: "",
    "": "",
    ["x".repeat(100_000)]: "",
  };
  for (const [given, name] of Object.entries(meant))
    test(`${JSON.stringify(given.slice(0, 20))} is ${name === "" ? "far from all" : name}`, () =>
      assert.equal(didYouMean(given, names), name === "" ? "" : `; did you mean ${name}?`));

  test("is the nearest of several near names, in any order", () => {
    for (const names of [
      ["accent", "accept"],
      ["accept", "accent"],
    ])
      assert.equal(didYouMean("acept", names), "; did you mean accept?");
  });

  test("is a name of one letter that was written twice", () => {
    assert.equal(didYouMean("qq", ["q"]), "; did you mean q?");
  });
});
