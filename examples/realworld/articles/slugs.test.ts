/**
 * Slugs: readable, safe in a path, and unique.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { slugMaker } from "./slugs.ts";

describe("slugMaker", () => {
  const titles = {
    "How to train your dragon": "how-to-train-your-dragon",
    "  Café & Bar!  ": "cafe-bar",
    "Überraschung 2": "uberraschung-2",
    "日本 語": "日本-語",
    "???": "article",
  };
  for (const [title, slug] of Object.entries(titles))
    it(`makes ${slug} of ${JSON.stringify(title)}`, () => assert.equal(slugMaker.make(title, []), slug));

  it("counts up until a slug is free", () => {
    assert.equal(slugMaker.make("A b", ["a-b", "a-b-2", "a-b-c"]), "a-b-3");
    assert.equal(slugMaker.make("A b", ["a-b-2"]), "a-b");
  });

  it("stays under 121 characters", () => assert.equal(slugMaker.base("x".repeat(500)).length, 120));
});
