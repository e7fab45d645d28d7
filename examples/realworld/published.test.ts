/**
 * Tests the comparison of documents: each kind of difference is found, except those that no client notices.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OpenApiDocument } from "framework/openapi";
import { differences } from "./published.ts";

const limit = { name: "limit", in: "query", schema: { type: "integer", minimum: 1 } };
const note = { type: "object", required: ["text"], properties: { text: { type: "string" } } };
const json = (schema: object): object => ({ content: { "application/json": { schema } } });

/** A document of one operation. */
function documentOf(path: string, operation: object): OpenApiDocument {
  return { paths: { [path]: { post: { operationId: "Add", tags: ["Notes"], ...operation } } }, components };
}
const components = { schemas: { Note: note }, parameters: { limit }, responses: { Created: json(note) } };

const reference = { $ref: "#/components/schemas/Note" };
const published = documentOf("/notes", {
  parameters: [{ $ref: "#/components/parameters/limit" }],
  requestBody: json(reference),
  responses: { 201: { $ref: "#/components/responses/Created" }, 422: { description: "Rejected" } },
});
const own = {
  parameters: [limit],
  requestBody: json(note),
  responses: { 201: json(reference), 422: { description: "No" } },
};

/** The differences of an operation that equals the published one except for this change. */
const found = (change: object): object =>
  differences(published, documentOf("/api/notes", { ...own, ...change }), "/api");

describe("differences", () => {
  it("ignores differences in wording and in the place of a schema", () => {
    assert.deepEqual(found({ description: "Adds a note", summary: "Add" }), {});
  });

  it("finds a missing operation, with all its parts", () => {
    const none = Object.keys(differences(published, { paths: {} }, ""));
    assert.equal(none.length, 11);
    assert.ok(none.includes('lacks operationId "Add"'));
  });

  const changes: Readonly<Record<string, readonly [object, readonly string[]]>> = {
    "another name": [{ operationId: "Put" }, ['adds operationId "Put"', 'lacks operationId "Add"']],
    "another tag": [{ tags: [] }, ["adds tags []", 'lacks tags ["Notes"]']],
    security: [{ security: [{ Token: [] }] }, ['adds security [{"Token":[]}]', "lacks security []"]],
    "a parameter": [{ parameters: [] }, ["lacks query limit: minimum 1", "lacks query limit: type integer"]],
    "a bound of a parameter": [
      { parameters: [{ ...limit, schema: { ...limit.schema, maximum: 9 } }] },
      ["adds query limit: maximum 9"],
    ],
    "a status": [{ responses: { 201: json(note) } }, ["lacks response 422"]],
    "a bound of the body": [
      { requestBody: json({ ...note, properties: { text: { type: "string", maxLength: 9 } } }) },
      ["adds body.text: maxLength 9"],
    ],
    "a type that may be null": [
      { requestBody: json({ ...note, properties: { text: { anyOf: [{ type: "string" }, { type: "null" }] } } }) },
      ["adds body.text: type null|string", "lacks body.text: type string"],
    ],
    "a name of the response that may be missing": [
      { responses: { ...own.responses, 201: json({ ...note, required: [] }) } },
      ["lacks response 201 body.text: required"],
    ],
    "no bound of the response": [
      {
        responses: { ...own.responses, 201: json({ ...note, properties: { text: { type: "string", pattern: "a" } } }) },
      },
      [],
    ],
  };
  for (const [what, [change, expected]] of Object.entries(changes))
    it(`finds ${what}`, () => {
      assert.deepEqual(found(change), Object.fromEntries(expected.map((difference) => [difference, ["POST /notes"]])));
    });
});
