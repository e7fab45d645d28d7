import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { placeText, profileRows } from "./profile.ts";
import { callOf } from "./traces.testkit.ts";

const place = { name: "render", file: "pdf.ts", line: 31 };
const call = callOf(1, null, "Pdf");

describe("profileRows", () => {
  it("has each line with its call and its share, and leaves out what took less than a hundredth", () => {
    const lines = [
      { call: 1, ...place, us: 800 },
      { call: null, ...place, us: 190 },
      { call: 1, ...place, line: 32, us: 9 },
    ];
    const profile = { intervalUs: 200, ownUs: 1_000, otherUs: 0, lines, stacks: [], allocations: [] };
    assert.deepEqual(
      profileRows({ profile, calls: [call] }).map((row) => [row.call, row.share]),
      [
        [call, 0.8],
        [undefined, 0.19],
      ],
    );
    assert.deepEqual(profileRows({ profile: { ...profile, ownUs: 0 }, calls: [] }), []);
    assert.deepEqual(profileRows({ profile: undefined, calls: [] }), []);
  });
});

describe("placeText", () => {
  it("names the function and its line, or V8's own work", () => {
    assert.deepEqual(
      [placeText(place), placeText({ name: "(garbage collector)", file: "", line: 0 })],
      ["render at pdf.ts:31", "(garbage collector)"],
    );
  });
});
