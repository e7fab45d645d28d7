import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { httpOf } from "../../run/traces.testkit.ts";
import { placeText } from "./places.ts";

describe("placeText", () => {
  it("names the part of the run, and the kind of an operation", () => {
    assert.equal(placeText({ part: "argument", leaf: null }), "given to");
    assert.equal(placeText({ part: "leaf", leaf: httpOf(0, 0, null) }), "in HTTP of");
    assert.equal(placeText({ part: "leaf", leaf: null }), "in an operation of");
  });
});
