/** The shop's OpenAPI document. shop.test.ts compares its responses with it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shopDocument } from "./document.ts";

describe("shopDocument", () => {
  it("documents every route with a summary, a unique operation id and its tags", () => {
    const { paths } = shopDocument() as unknown as { paths: Record<string, Record<string, Record<string, unknown>>> };
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    assert.equal(operations.length, 24);
    assert.equal(new Set(operations.map((one) => one["operationId"])).size, 24);
    for (const { summary, tags } of operations) assert.ok(typeof summary === "string" && Array.isArray(tags));
  });
});
