/**
 * The shop's OpenAPI document: what is committed is what is served. Its responses are held against it in shop.test.ts.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { shopDocument } from "./document.ts";

const committed = new URL("../../../examples/shop/openapi.json", import.meta.url);

describe("openapi.json", () => {
  it("is the document of the routes: run `make docs`", () => {
    assert.deepEqual(JSON.parse(readFileSync(committed, "utf8")), JSON.parse(JSON.stringify(shopDocument())));
  });

  it("documents every route with a summary, an operation id of its own and its tags", () => {
    const { paths } = shopDocument() as unknown as { paths: Record<string, Record<string, Record<string, unknown>>> };
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    assert.equal(operations.length, 19);
    assert.equal(new Set(operations.map((one) => one["operationId"])).size, 19);
    for (const { summary, tags } of operations) assert.ok(typeof summary === "string" && Array.isArray(tags));
  });
});
