/**
 * `framework client` as a user runs it: what it writes, what it says, and what it ends with.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { main, node, temporaryFolder } from "../harness.testkit.ts";
import { readDocument } from "../document/read.ts";
import { documentOf } from "./harness.testkit.ts";

const folder = temporaryFolder();
const document = documentOf({ "/a": { get: { operationId: "readA", responses: { 204: {} } } } });
let server: Server;
let origin: string;

before(async () => {
  server = createServer((request, response) => {
    if (request.url === "/openapi.json") response.end(JSON.stringify(document));
    else if (request.url === "/large") for (let at = 0; at < 40; at += 1) response.write(" ".repeat(2 ** 20));
    else response.writeHead(404);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
after(() => server.close());

const client = (cwd: string, ...args: readonly string[]): ReturnType<typeof node> => node(cwd, main, "client", ...args);

/** A folder with the document in it. */
function freshFolder(): string {
  const fresh = mkdtempSync(join(folder, "client-"));
  writeFileSync(join(fresh, "openapi.json"), JSON.stringify(document));
  return fresh;
}

describe("framework client", () => {
  it("CLIENT-001: writes the client of a URL or a file, and again only where it differs", async () => {
    const cwd = freshFolder();
    const args = ["--url", `${origin}/openapi.json`, "--out", "src/client.ts"];
    assert.deepEqual(await client(cwd, ...args), {
      code: 0,
      stdout: "Wrote src/client.ts: 1 operations\n",
      stderr: "",
    });
    const written = readFileSync(join(cwd, "src", "client.ts"), "utf8");
    assert.match(written, /readA\(input\?: CallOptions\): Promise<ReadAResult>;/);
    const again = await client(cwd, "--url", "openapi.json", "--out", "src/client.ts");
    assert.deepEqual(again, {
      code: 0,
      stdout: "src/client.ts is the client of openapi.json: 1 operations\n",
      stderr: "",
    });
    assert.deepEqual(readdirSync(join(cwd, "src")), ["client.ts"]);
  });

  it("CLIENT-012: ends with 2 where the client cannot be read", async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "folder"));
    const { code, stderr } = await client(cwd, "--url", "openapi.json", "--out", "folder", "--check");
    assert.deepEqual([code, stderr], [2, "framework: EISDIR: illegal operation on a directory, read\n"]);
  });

  it("CLIENT-002: writes nothing with --check, and ends with 1 where the file differs", async () => {
    const cwd = freshFolder();
    const args = ["--url", "openapi.json", "--out", "client.ts"];
    const missing = "framework: client.ts is not there: write it without --check\n";
    assert.deepEqual(await client(cwd, ...args, "--check"), { code: 1, stdout: "", stderr: missing });
    await client(cwd, ...args);
    const file = join(cwd, "client.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll("\n", "\r\n"));
    assert.equal((await client(cwd, ...args, "--check")).code, 0);
    writeFileSync(file, `${text}\n`);
    const differs = "framework: client.ts is not the client of that document: write it without --check\n";
    assert.deepEqual(await client(cwd, ...args, "--check"), { code: 1, stdout: "", stderr: differs });
    assert.equal(readFileSync(file, "utf8"), `${text}\n`);
  });

  it("CLI-007: writes over nothing that it did not write", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "client.ts"), "mine");
    const stderr =
      "framework: client.ts is there already, and framework client did not write it: choose another name\n";
    assert.deepEqual(await client(cwd, "--url", "openapi.json", "--out", "client.ts"), { code: 2, stdout: "", stderr });
    assert.equal(readFileSync(join(cwd, "client.ts"), "utf8"), "mine");
  });

  it("CLIENT-012: ends with 2 and one line where there is no document", async () => {
    const { code, stdout, stderr } = await client(freshFolder(), "--url", "nothing.json", "--out", "client.ts");
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 2, stdout: "", stderr: "framework: there is no file nothing.json\n" },
    );
  });
});

describe("readDocument", () => {
  it("CLIENT-012: says in a sentence what is wrong with a document", async () => {
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
    const cwd = freshFolder();
    for (const [source, text, message] of cases) {
      writeFileSync(join(cwd, source), text);
      await assert.rejects(readDocument(source, cwd), { name: "DocumentError", message, exitCode: 2 });
    }
    await assert.rejects(readDocument(".", cwd), { name: "DocumentError", message: /^\. cannot be read: EISDIR/ });
  });

  it("CLIENT-012: says so of a URL that responds otherwise, with too much, or not at all", async () => {
    const closed = createServer().listen(0);
    const address = closed.address();
    const port = typeof address === "object" ? address?.port : 0;
    await new Promise((resolve) => closed.close(resolve));
    await assert.rejects(readDocument(`${origin}/gone`, "."), { message: `${origin}/gone responded with 404` });
    await assert.rejects(readDocument(`${origin}/large`, "."), { message: `${origin}/large is larger than 32 MiB` });
    const url = `http://127.0.0.1:${port}/`;
    await assert.rejects(readDocument(url, "."), { message: new RegExp(`^${url} cannot be reached: .*ECONNREFUSED`) });
  });
});
