/**
 * How Conduit's OpenAPI document differs from the one that RealWorld publishes.
 * Every test that sends a request compares the response with the document, see testing.ts.
 *
 *   REALWORLD_SPEC=<openapi.yml> node scripts/test.mjs examples/realworld/document
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { OpenApiDocument } from "framework/openapi";
import { parse } from "yaml";
import { conduitDocument } from "./document.ts";
import { differences } from "./published.ts";

const read = (): OpenApiDocument => JSON.parse(JSON.stringify(conduitDocument())) as OpenApiDocument;
const published = process.env["REALWORLD_SPEC"] ?? "";

describe("conduitDocument", () => {
  const skip = published === "" ? "REALWORLD_SPEC names no file" : false;
  it("differs from the published document only as README.md explains", { skip }, () => {
    const found = differences(parse(readFileSync(published, "utf8")) as OpenApiDocument, read(), "/api");
    for (const [difference, operations] of Object.entries(found))
      console.log(
        `${difference}: ${operations.length > 4 ? `${operations.length} operations` : operations.join(", ")}`,
      );
    assert.deepEqual(
      Object.fromEntries(Object.entries(found).map(([difference, operations]) => [difference, operations.length])),
      explained,
    );
  });
});

/** The differences, and their numbers of operations. */
const explained: Readonly<Record<string, number>> = {
  "adds body.article.body: maxLength 100000": 2,
  "adds body.article.body: minLength 1": 2,
  "adds body.article.description: maxLength 1000": 2,
  "adds body.article.description: minLength 1": 2,
  "adds body.article.tagList: maxItems 20": 2,
  "adds body.article.tagList[]: maxLength 50": 2,
  "adds body.article.tagList[]: minLength 1": 2,
  "adds body.article.title: maxLength 200": 2,
  "adds body.article.title: minLength 1": 2,
  "adds body.comment.body: maxLength 10000": 1,
  "adds body.comment.body: minLength 1": 1,
  "adds body.user.bio: maxLength 2000": 1,
  "adds body.user.email: maxLength 254": 3,
  "adds body.user.email: minLength 1": 3,
  "adds body.user.image: maxLength 2000": 1,
  "adds body.user.password: maxLength 1000": 3,
  "adds body.user.password: minLength 1": 1,
  "adds body.user.password: minLength 8": 2,
  "adds body.user.username: maxLength 64": 2,
  "adds body.user.username: minLength 1": 2,
  "adds path id: maximum 9007199254740991": 1,
  "adds path id: minimum 0": 1,
  "adds query limit: maximum 100": 2,
  "adds query offset: default 0": 2,
  "adds query offset: maximum 1000000": 2,
  "adds response 400": 9,
  "adds response 401": 1,
  "adds response 409": 2,
  "adds response 413": 6,
  "adds response 415": 6,
  "adds response 4XX": 1,
  "adds response 500": 19,
  "adds response default": 19,
  'adds security [{"Token":[]},{}]': 4,
  "lacks response 422": 2,
  "lacks security []": 4,
};
