/**
 * Tests the sources of a document, and one sentence for each invalid text.
 */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder, testServer } from "../harness.testkit.ts";
import { documentOf, readDocument } from "./read.ts";

const folder = temporaryFolder();
const document = { openapi: "3.1.0", paths: { "/a": {} } };
const accepted: unknown[] = [];
const origin = testServer((request, response) => {
  accepted.push(request.headers.accept);
  if (request.url === "/openapi.json") response.end(JSON.stringify(document));
  else if (request.url === "/large") for (let at = 0; at < 40; at += 1) response.write(" ".repeat(2 ** 20));
  else response.writeHead(404);
  response.end();
});

describe("readDocument", () => {
  it("reads a file from the folder, and a URL as JSON", async () => {
    const cwd = mkdtempSync(join(folder, "read-"));
    writeFileSync(join(cwd, "a.json"), JSON.stringify(document));
    assert.deepEqual(await readDocument("a.json", cwd), document);
    assert.deepEqual(await readDocument(join(cwd, "a.json"), folder), document);
    assert.deepEqual(await readDocument(`${origin().replace("http", "HTTP")}/openapi.json`, cwd), document);
    assert.deepEqual(accepted, ["application/json, application/openapi+json"]);
    await assert.rejects(readDocument("gone.json", cwd), { message: "there is no file gone.json" });
  });

  it("names the error of a document in a sentence", async () => {
    const deep = `{"openapi":"3.1.0","paths":${'{"a":'.repeat(300)}1${"}".repeat(300)}}`;
    const cases: readonly (readonly [source: string, text: string, says: string])[] = [
      ["a.yaml", "openapi: 3.1.0", "a.yaml is no JSON: a document in YAML has to be written as JSON first"],
      ["a.json", "[]", "a.json is no OpenAPI document: it is no JSON object"],
      ["a.json", "{}", "a.json is no OpenAPI document that can be read: it has no version; 3.0, 3.1 and 3.2 can"],
      [
        "a.json",
        '{"swagger":"2.0"}',
        'a.json is no OpenAPI document that can be read: its version is "2.0"; 3.0, 3.1 and 3.2 can',
      ],
      ["a.json", '{"openapi":"3.1.0"}', "a.json is no OpenAPI document with operations: it has no paths"],
      ["a.json", deep, "a.json is nested deeper than 250 levels"],
      ["a.json", " ".repeat(33 * 2 ** 20), "a.json is larger than 32 MiB"],
    ];
    const cwd = mkdtempSync(join(folder, "read-"));
    for (const [source, text, message] of cases) {
      writeFileSync(join(cwd, source), text);
      await assert.rejects(readDocument(source, cwd), { name: "DocumentError", message, exitCode: 2 });
    }
    await assert.rejects(readDocument(".", cwd), { name: "DocumentError", message: /^\. cannot be read: EISDIR/ });
  });

  it("does so for a URL with another response, with too much, or without a response", async () => {
    const closed = createServer().listen(0);
    const address = closed.address();
    const port = typeof address === "object" ? address?.port : 0;
    await new Promise((resolve) => closed.close(resolve));
    await assert.rejects(readDocument(`${origin()}/gone`, "."), { message: `${origin()}/gone responded with 404` });
    await assert.rejects(readDocument(`${origin()}/large`, "."), {
      message: `${origin()}/large is larger than 32 MiB`,
    });
    const url = `http://127.0.0.1:${port}/`;
    await assert.rejects(readDocument(url, "."), { message: new RegExp(`^${url} cannot be reached: .*ECONNREFUSED`) });
  });
});

describe("documentOf", () => {
  const nested = (levels: number): string =>
    `{"openapi":"3.2.0","paths":{"/a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;

  it("accepts 3.0, 3.1 and 3.2, also after a byte order mark", () => {
    for (const openapi of ["3.0.4", "3.1.0", "3.2", "3.2.0-rc1"])
      assert.deepEqual(documentOf("a", `\ufeff${JSON.stringify({ ...document, openapi })}`), { ...document, openapi });
    for (const openapi of ["3.3.0", "3.10.0", "30.1.0", "2.0", "4.3.1"])
      assert.throws(() => documentOf("a", JSON.stringify({ ...document, openapi })), {
        name: "DocumentError",
        message: `a is no OpenAPI document that can be read: its version is "${openapi}"; 3.0, 3.1 and 3.2 can`,
      });
  });

  it("shows no more than twenty characters of a version", () => {
    assert.throws(() => documentOf("a", JSON.stringify({ openapi: "x".repeat(100) })), {
      message: `a is no OpenAPI document that can be read: its version is "${"x".repeat(20)}"; 3.0, 3.1 and 3.2 can`,
    });
  });

  it("accepts 250 levels, and not one more", () => {
    assert.equal(typeof documentOf("a", nested(249)), "object");
    assert.throws(() => documentOf("a", nested(250)), { message: "a is nested deeper than 250 levels" });
  });

  it("does not accept a list or a text as paths", () => {
    for (const paths of [[], "/a", null])
      assert.throws(() => documentOf("a", JSON.stringify({ openapi: "3.1.0", paths })), {
        message: "a is no OpenAPI document with operations: it has no paths",
      });
  });
});
