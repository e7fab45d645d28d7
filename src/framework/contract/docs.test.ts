/** Unit tests of docsOf: documentation of a route and its groups (OPENAPI-007). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { docsOf } from "./docs.ts";

describe("docsOf", () => {
  test("uses the innermost text, and all tags once each", () => {
    const outer = { summary: "Outer", description: "Of all", tags: ["a", "b"], deprecated: true, security: [] };
    assert.deepEqual(docsOf([outer]), outer);
    assert.deepEqual(docsOf([outer, { tags: ["b", "c"], summary: "Inner", deprecated: false }, {}]), {
      summary: "Inner",
      description: "Of all",
      tags: ["a", "b", "c"],
      deprecated: false,
      security: [],
    });
  });

  test("omits undocumented properties", () => {
    assert.deepEqual(docsOf([]), {});
    assert.deepEqual(docsOf([{ operationId: "a", meta: { role: "b" }, tags: [] }, {}]), {});
  });
});
