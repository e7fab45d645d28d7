/** The secrets of a trace with many, by their beginnings. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SecretIndex } from "./index.ts";

describe("SecretIndex", () => {
  it("hides the longest of two secrets with the same beginning, in any order", () => {
    const [short, long] = ["hunter2-zebra", "hunter2-zebra42"];
    for (const values of [
      [short, long],
      [long, short],
    ])
      assert.equal(new SecretIndex(values).text(`is ${long}, he said`), "is [redacted], he said");
  });
});
