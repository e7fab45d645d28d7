/**
 * Tests that each kind of difference between a response and its document is found.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { departuresFrom, type DescribedResponse } from "./departures.ts";

const content = (name: string): object => ({
  content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
});
const departures = departuresFrom({
  paths: {
    "/notes/{id}": {
      get: { responses: { 200: content("Note"), default: content("Failure") } },
      delete: { responses: { 204: { description: "No Content" } } },
    },
    "/notes/{id}/text": { get: { responses: { 200: content("Note") } } },
  },
  components: {
    schemas: {
      Note: { type: "object", properties: { at: { type: "string", format: "date-time" } }, required: ["at"] },
      Failure: { type: "object", required: ["errors"] },
    },
  },
});

const type = "application/json";
const note: DescribedResponse = { status: 200, type, body: { at: "2026-11-02T10:00:00Z" } };

describe("departuresFrom", () => {
  const cases: Readonly<Record<string, readonly [string, DescribedResponse, readonly string[]]>> = {
    "a response that fits": ["GET /notes/1?x=/2", note, []],
    "a charset": ["GET /notes/1", { ...note, type: "application/json; charset=utf-8" }, []],
    "a value that does not fit": ["GET /notes/1", { ...note, body: { at: 1 } }, ["/at must be string"]],
    "a longer path": ["GET /notes/1/text", { ...note, body: {} }, [" must have required property 'at'"]],
    "an error that fits the default": ["GET /notes/1", { status: 404, type, body: { errors: {} } }, []],
    "an error that does not": [
      "GET /notes/1",
      { status: 404, type, body: {} },
      [" must have required property 'errors'"],
    ],
    "another type": ["GET /notes/1", { ...note, type: "text/plain" }, ["text/plain is not documented for 200"]],
    "another status": ["GET /notes/1", { ...note, status: 201 }, ["201 is not documented"]],
    "no content": ["DELETE /notes/1", { status: 204, type: null, body: undefined }, []],
    "content where none is": ["DELETE /notes/1", { ...note, status: 204 }, ["there is content"]],
    "a path that is not in the document": ["GET /health", note, []],
  };
  for (const [what, [request, response, expected]] of Object.entries(cases))
    it(`finds ${expected.length === 0 ? "nothing wrong with" : "out"} ${what}`, () => {
      const [method = "", path = ""] = request.split(" ");
      assert.deepEqual(departures(method, path, response), expected);
    });
});
