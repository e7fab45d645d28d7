/**
 * Tests the contents of a document, through its references, and the errors for invalid ones.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "./json.ts";
import { followed, nameOf, operationsOf, pointerParts, target } from "./operations.ts";

const rejects = (run: () => unknown, sentence: string): void =>
  assert.throws(run, { name: "DocumentError", message: `the document cannot be read: ${sentence}`, exitCode: 2 });

/** A document with these paths, and `more` members. */
const withPaths = (paths: object, more: object = {}): Json => ({ openapi: "3.2.0", paths, ...more });

describe("operationsOf", () => {
  it("has the operations in the document's order, including methods of 3.1 and 3.2 without a field", () => {
    const responses = {};
    const document = withPaths({
      "/b": { summary: "no operation", put: { responses }, get: {}, query: {}, servers: [] },
      "x-note": { get: {} },
      "/a": {
        additionalOperations: { PURGE: {}, "M-SEARCH": {} },
        "x-query": { responses },
        "x-note": { get: {} },
        "x-list": [responses],
        other: { responses },
      },
    });
    assert.deepEqual(operationsOf(document).map(nameOf), [
      "PUT /b",
      "GET /b",
      "QUERY /b",
      "PURGE /a",
      "M-SEARCH /a",
      "QUERY /a",
    ]);
    assert.deepEqual(operationsOf({}), []);
  });

  it("follows references to a path, an operation, a parameter, a body and a response", () => {
    const parameter = { name: "id", in: "path" };
    const [requestBody, response] = [{ content: {} }, { description: "A" }];
    const document = withPaths(
      { "/a/{id}": { $ref: "#/components/pathItems/A" } },
      {
        components: {
          pathItems: { A: { post: { $ref: "#/x-operations/0" } } },
          parameters: { Id: { $ref: "#/components/parameters/Own" }, Own: parameter },
          requestBodies: { A: requestBody },
          responses: { A: response },
        },
        "x-operations": [
          {
            parameters: [{ $ref: "#/components/parameters/Id" }],
            requestBody: { $ref: "#/components/requestBodies/A" },
            responses: { 200: { $ref: "#/components/responses/A" }, "4xx": response, default: response, "x-a": 1 },
          },
        ],
      },
    );
    const [operation] = operationsOf(document);
    assert.deepEqual(
      { ...operation, value: undefined },
      {
        method: "POST",
        path: "/a/{id}",
        value: undefined,
        parameters: [{ name: "id", place: "path", isRequired: true, value: parameter }],
        requestBody,
        responses: new Map([
          ["200", response],
          ["4XX", response],
          ["default", response],
        ]),
      },
    );
  });

  it("has each parameter once: the operation's own replaces its path's, one in another place is added", () => {
    const parameters = [
      { name: "a", in: "query", description: "of the path" },
      { name: "b", in: "header", required: true },
    ];
    const own = [
      { name: "a", in: "query", required: true },
      { name: "a", in: "cookie", required: "yes" },
    ];
    const [operation] = operationsOf(withPaths({ "/a": { parameters, get: { parameters: own } } }));
    assert.deepEqual(operation?.parameters, [
      { name: "a", place: "query", isRequired: true, value: own[0] },
      { name: "b", place: "header", isRequired: true, value: parameters[1] },
      { name: "a", place: "cookie", isRequired: false, value: own[1] },
    ]);
    assert.deepEqual([operation?.requestBody, operation?.responses], [undefined, new Map()]);
  });

  it("rejects invalid parts, and names them", () => {
    const get = (operation: object): Json => withPaths({ "/a": { get: operation } });
    const long = "a".repeat(101);
    const cases: readonly (readonly [document: Json, sentence: string])[] = [
      [withPaths({ a: {} }), 'the path "a" does not begin with /'],
      [withPaths({ [long]: {} }), `the path "${"a".repeat(100)}…" does not begin with /`],
      [withPaths({ "/a": { additionalOperations: { "GET /": {} } } }), '"GET /" is no method'],
      [withPaths({ "/a": { "x-a b": { responses: {} } } }), '"A B" is no method'],
      [get({ parameters: [{ in: "query" }] }), "GET /a has a parameter without a name or a place"],
      [get({ parameters: [{ name: "a" }] }), "GET /a has a parameter without a name or a place"],
      [get({ parameters: [{ name: "a", in: 1 }] }), "GET /a has a parameter without a name or a place"],
      ...["600", "0", "20", "2000", "2X", "ok", " 200", "defaults"].map(
        (status) =>
          [get({ responses: { [status]: {} } }), `GET /a has a response "${status}": that is no status`] as const,
      ),
    ];
    for (const [document, sentence] of cases) rejects(() => operationsOf(document), sentence);
  });
});

describe("followed", () => {
  const row = (length: number): Json =>
    Object.fromEntries([
      ...Array.from({ length }, (_, at) => [`r${at}`, { $ref: `#/r${at + 1}` }]),
      [`r${length}`, { found: true }],
    ]) as Json;

  it("follows fifty references, and treats more as a circle", () => {
    assert.deepEqual(followed(row(50), { $ref: "#/r0" }), { found: true });
    rejects(() => followed(row(51), { $ref: "#/r0" }), 'the reference "#/r51" leads in a circle');
    rejects(() => followed({ a: { $ref: "#/a" } }, { $ref: "#/a" }), 'the reference "#/a" leads in a circle');
  });

  it("treats a value that is not an object as an empty one", () => {
    const document = { list: [1], text: "a" };
    for (const value of [undefined, null, "a", [1], { $ref: "#/list" }, { $ref: "#/text" }])
      assert.deepEqual(followed(document, value), {});
    assert.deepEqual(followed(document, { $ref: 1 }), { $ref: 1 });
  });
});

describe("target", () => {
  const document = { "a/b": { "c~d": ["first", { "100%": "second" }] }, "": "empty" };

  it("follows a JSON pointer through names, lists and escapes", () => {
    const found: Readonly<Record<string, unknown>> = {
      "#": document,
      "#/a~1b/c~0d/0": "first",
      "#/a%2Fb/c~0d/0": "first",
      "#/a~1b/c%7E0d/1/100%25": "second",
      "#/a~1b/c~0d/1/100%": "second",
      "#/": "empty",
    };
    for (const [reference, value] of Object.entries(found)) assert.deepEqual(target(document, reference), value);
    assert.deepEqual(pointerParts("#/a~1b/~01"), ["a/b", "~1"]);
  });

  it("finds nothing that every object or list inherits", () => {
    for (const reference of ["#/__proto__", "#/constructor", "#/a~1b/c~0d/length", "#/a~1b/c~0d/2", "#/a~1b/c~0d/-1"])
      rejects(() => target(document, reference), `it refers to "${reference}", which is not there`);
    rejects(() => target(document, "#//a"), 'it refers to "#//a", which is not there');
  });

  it("leads to no other document, and to no name without a path", () => {
    const outside = "outside of the document: bundle it into one first";
    for (const reference of ["other.json#/a", "/a", "https://x/y", ""])
      rejects(() => target(document, reference), `it refers to "${reference}", ${outside}`);
    rejects(
      () => target(document, "#Order"),
      'it refers to "#Order": only references by a path, such as #/components/schemas/A, can be read',
    );
  });
});
