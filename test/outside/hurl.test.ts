/**
 * Tests the runner of Hurl files: it parses the used syntax, rejects the rest, and its asserts can fail.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Framework } from "framework";
import { parseHurl } from "./hurl.ts";
import { runHurl } from "./hurl-run.ts";

const file = `
# Adds a note
POST {{host}}/notes
Authorization: Token {{token}}
{
  "note": { "text": "GET up, {{name}}" }
}
HTTP 201
[Asserts]
jsonpath "$.note.tags" count == 2
jsonpath "$.note.tags[0]" not isEmpty
[Captures]
id: jsonpath "$.note.id"

GET {{host}}/notes/{{id}}
HTTP 200
[Asserts]
jsonpath "$.note.id" == {{id}}
`;
const noHeaders = { headers: [], asserts: [], captures: [], body: undefined };

describe("parseHurl", () => {
  it("reads requests, headers, bodies, statuses, asserts and captures", () => {
    const [text, other] = ['jsonpath "$.note.tags" count == 2', 'jsonpath "$.note.tags[0]" not isEmpty'];
    const plain = { counts: false, negated: false };
    assert.deepEqual(parseHurl(file), [
      {
        line: 3,
        method: "POST",
        url: "{{host}}/notes",
        headers: [["Authorization", "Token {{token}}"]],
        body: '{\n  "note": { "text": "GET up, {{name}}" }\n}',
        status: 201,
        asserts: [
          { text, path: "$.note.tags", counts: true, negated: false, predicate: "==", operand: "2" },
          {
            text: other,
            path: "$.note.tags[0]",
            counts: false,
            negated: true,
            predicate: "isEmpty",
            operand: undefined,
          },
        ],
        captures: [{ name: "id", path: "$.note.id" }],
      },
      {
        ...noHeaders,
        line: 15,
        method: "GET",
        url: "{{host}}/notes/{{id}}",
        status: 200,
        asserts: [
          { ...plain, text: 'jsonpath "$.note.id" == {{id}}', path: "$.note.id", predicate: "==", operand: "{{id}}" },
        ],
      },
    ]);
  });

  const rejected: Readonly<Record<string, string>> = {
    "a section that it does not know": "GET /\nHTTP 200\n[Options]",
    "a predicate that it does not know": 'GET /\nHTTP 200\n[Asserts]\njsonpath "$.a" isUuid',
    "a predicate without its value": 'GET /\nHTTP 200\n[Asserts]\njsonpath "$.a" ==',
    "a path that it does not know": 'GET /\nHTTP 200\n[Asserts]\njsonpath "$..a" exists',
    "an assert of a header": 'GET /\nHTTP 200\n[Asserts]\nheader "A" exists',
    "a capture of a header": 'GET /\nHTTP 200\n[Captures]\na: header "A"',
    "a line before the first request": "HTTP 200",
    "a second request before the status of the first": "GET /\nGET /\nHTTP 200",
    "a request without a status": "GET /\n",
  };
  for (const [what, text] of Object.entries(rejected))
    it(`rejects ${what}`, () => {
      assert.throws(() => parseHurl(text), /^Error: (?:line \d is not understood|the last request has no HTTP line)/);
    });
});

const app = Framework.create({ logger: { error: () => {}, warn: () => {} } })
  .get("/value", () => ({ text: "2026-11", list: ["a"], number: 2, yes: true, none: null, empty: "" }))
  .post("/echo", async (ctx) => ({ body: await ctx.body(), token: ctx.header("authorization") }));
const send = async (request: Request): Promise<Response> => app.fetch(request);
const failuresOf = async (text: string, variables: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  (await runHurl(parseHurl(text), { host: "http://test", ...variables }, send)).map(({ failures }) => failures);

describe("runHurl", () => {
  it("sends the written request, with its variables", async () => {
    const text = `POST {{host}}/echo\nAuthorization: Token {{t}}\n{ "name": "{{n}}" }\nHTTP 200\n[Captures]\nx: jsonpath "$.body.name"
[Asserts]\njsonpath "$.token" == "Token 1"\njsonpath "$.body.name" == "ann"\n
POST {{host}}/echo\n{ "again": "{{x}}" }\nHTTP 200\n[Asserts]\njsonpath "$.body.again" == {{x}}`;
    assert.deepEqual(await failuresOf(text, { t: "1", n: "ann" }), [[], []]);
  });

  const asserts: Readonly<Record<string, boolean>> = {
    '"$.text" == "2026-11"': true,
    '"$.text" == "2026"': false,
    '"$.number" == "2"': false,
    '"$.number" == 2': true,
    '"$.number" != 2': false,
    '"$.none" == null': true,
    '"$.lost" == null': false,
    '"$.lost" != 1': false,
    '"$.lost" not exists': true,
    '"$.none" not exists': false,
    '"$.none" exists': true,
    '"$.list" contains "a"': true,
    '"$.list" contains "b"': false,
    '"$.list" count == 1': true,
    '"$.list" count >= 2': false,
    '"$.text" count == 7': false,
    '"$.list[0]" == "a"': true,
    '"$.list[1]" exists': false,
    '"$.list" isList': true,
    '"$.text" isList': false,
    '"$.number" isInteger': true,
    '"$.text" isInteger': false,
    '"$.yes" isBoolean': true,
    '"$.number" isBoolean': false,
    '"$.text" isString': true,
    '"$.none" isString': false,
    '"$.empty" isEmpty': true,
    '"$.text" not isEmpty': true,
    '"$.empty" not isEmpty': false,
    [String.raw`"$.text" matches "^\\d{4}-"`]: true,
    [String.raw`"$.text" matches "^\\d{5}"`]: false,
  };
  it("checks responses with every kind of assert, and each can fail", async () => {
    const lines = Object.keys(asserts).map((one) => `jsonpath ${one}`);
    const outcomes = await Promise.all(
      lines.map((line) => failuresOf(`GET {{host}}/value\nHTTP 200\n[Asserts]\n${line}`)),
    );
    const held = outcomes.map((failures) => (failures as readonly (readonly string[])[])[0]?.length === 0);
    assert.deepEqual(Object.fromEntries(Object.keys(asserts).map((one, index) => [one, held[index]])), asserts);
  });

  it("fails a request with another status, and one that uses a missing capture; others go on", async () => {
    const text = `GET {{host}}/value\nHTTP 201\n
GET {{host}}/value\nHTTP 200\n[Captures]\nid: jsonpath "$.id"\n
GET {{host}}/value/{{id}}\nHTTP 200\n
GET {{host}}/value\nHTTP 200`;
    const failures = (await failuresOf(text)) as readonly (readonly string[])[];
    assert.match(failures[0]?.[0] ?? "", /^200 instead of 201: \{"text":/);
    assert.deepEqual(failures.slice(1), [["$.id is not there to be captured"], ["{{id}} was not captured"], []]);
  });
});
