/** The values that an error names, and where each came from. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOf, traceOf } from "../traces.testkit.ts";
import { errorValueFindings } from "./error-values.ts";

const error = { name: "RangeError", message: "no stock for p-7" };
const thrower = callOf(1, 0, "Stock", { method: "take", args: ["p-7", 3], error });
const request = { pathParams: {}, query: {}, headers: {}, body: { product: "p-7" } };

describe("errorValueFindings", () => {
  it("names the first place of a value that the error names", () => {
    const found = errorValueFindings(traceOf([callOf(0, null, "Orders"), thrower], { error, request }));
    assert.deepEqual(
      found.map(({ kind, message, call, detail }) => [kind, message, call, detail]),
      [
        [
          "origin",
          '"p-7", which Stock.take was given and names in its error, first was in the request',
          null,
          "body.product",
        ],
      ],
    );
  });

  it("names the call that returned the value, if the request does not have it", () => {
    const finder = callOf(0, null, "Finder", { method: "next", result: { id: "p-7" } });
    const [found] = errorValueFindings(traceOf([finder, { ...thrower, parentId: null }], { error }));
    assert.equal(
      found?.message,
      '"p-7", which Stock.take was given and names in its error, first was in the result of Finder.next',
    );
    assert.deepEqual([found?.call, found?.detail], [finder, "id"]);
  });

  it("is silent about values that begin at the call, and without an error", () => {
    assert.deepEqual(errorValueFindings(traceOf([{ ...thrower, parentId: null }], { error })), []);
    assert.deepEqual(errorValueFindings(traceOf([thrower], { request })), []);
  });
});
