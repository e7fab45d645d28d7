/**
 * Tests the spellings of a slice's name, and rejected names.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resourceName } from "./resource-name.ts";

describe("resourceName", () => {
  it("gives one name in every spelling, for any typed spelling", () => {
    const expected = {
      type: "SalesOrder",
      variable: "salesOrder",
      file: "sales-order",
      folder: "sales-orders",
      plural: "sales orders",
    };
    for (const typed of ["SalesOrder", "salesOrder", "sales-order"]) assert.deepEqual(resourceName(typed), expected);
    assert.equal(resourceName("HTTPServer2").file, "http-server2");
  });

  const plurals: Readonly<Record<string, string>> = {
    Order: "orders",
    Category: "categories",
    Day: "days",
    Address: "addresses",
    Box: "boxes",
    Status: "statuses",
    Analysis: "analyses",
    Orders: "orders",
  };
  it("makes the path plural", () => {
    const folders = Object.keys(plurals).map((name) => [name, resourceName(name).folder]);
    assert.deepEqual(Object.fromEntries(folders), plurals);
  });

  it("rejects a name that is not valid for a type, or that the slice needs itself", () => {
    for (const name of ["", "2fast", "a_b", "Über", "a b", "../x", "-a", "a-", "a--b", "A".repeat(41)])
      assert.throws(() => resourceName(name), { name: "UsageError", message: /^".*" is no name for it: letters/ });
    assert.throws(() => resourceName("context"), {
      name: "UsageError",
      message: 'it cannot be called "context": Context is a type in use',
    });
  });
});
