/**
 * `framework client` as a user runs it: its file, its output, and its exit code.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { main, node, temporaryFolder, testServer } from "../harness.testkit.ts";
import { documentOf } from "./harness.testkit.ts";

const folder = temporaryFolder();
const document = documentOf({ "/a": { get: { operationId: "readA", responses: { 204: {} } } } });
const origin = testServer((request, response) => {
  if (request.url === "/openapi.json") response.end(JSON.stringify(document));
  else response.writeHead(404);
  response.end();
});

const client = (cwd: string, ...args: readonly string[]): ReturnType<typeof node> => node(cwd, main, "client", ...args);

/** A folder with the document in it. */
function freshFolder(): string {
  const fresh = mkdtempSync(join(folder, "client-"));
  writeFileSync(join(fresh, "openapi.json"), JSON.stringify(document));
  return fresh;
}

describe("framework client", () => {
  it("writes the client of a URL or a file, and again only if it differs", async () => {
    const cwd = freshFolder();
    const args = ["--url", `${origin()}/openapi.json`, "--out", "src/client.ts"];
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

  it("exits with 2 if the client cannot be read", async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "folder"));
    const { code, stderr } = await client(cwd, "--url", "openapi.json", "--out", "folder", "--check");
    assert.deepEqual([code, stderr], [2, "framework: EISDIR: illegal operation on a directory, read\n"]);
  });

  it("writes nothing with --check, and exits with 1 if the file differs", async () => {
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

  it("overwrites only files that it wrote", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "client.ts"), "mine");
    const stderr =
      "framework: client.ts is there already, and framework client did not write it: choose another name\n";
    assert.deepEqual(await client(cwd, "--url", "openapi.json", "--out", "client.ts"), { code: 2, stdout: "", stderr });
    assert.equal(readFileSync(join(cwd, "client.ts"), "utf8"), "mine");
  });

  it("writes the files for TanStack Query and Mock Service Worker next to it, and checks them too", async () => {
    const cwd = freshFolder();
    const args = "--url openapi.json --out src/client.ts --tanstack src/api/queries.ts --msw msw.ts".split(" ");
    const missing = "framework: src/client.ts is not there: write it without --check\n";
    assert.deepEqual(await client(cwd, ...args, "--check"), { code: 1, stdout: "", stderr: missing });
    const wrote = "Wrote src/client.ts: 1 operations\nWrote src/api/queries.ts\nWrote msw.ts\n";
    assert.deepEqual(await client(cwd, ...args), { code: 0, stdout: wrote, stderr: "" });
    assert.match(readFileSync(join(cwd, "src", "api", "queries.ts"), "utf8"), /from "\.\.\/client\.ts";/);
    writeFileSync(join(cwd, "msw.ts"), `${readFileSync(join(cwd, "msw.ts"), "utf8")}\n`);
    const differs = "framework: msw.ts is not the client of that document: write it without --check\n";
    assert.deepEqual(await client(cwd, ...args, "--check"), { code: 1, stdout: "", stderr: differs });
    const rest = "src/client.ts is the client of openapi.json: 1 operations\nWrote msw.ts\n";
    assert.deepEqual(await client(cwd, ...args), { code: 0, stdout: rest, stderr: "" });
  });

  it("exits with 2 and one line if there is no document", async () => {
    const { code, stdout, stderr } = await client(freshFolder(), "--url", "nothing.json", "--out", "client.ts");
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 2, stdout: "", stderr: "framework: there is no file nothing.json\n" },
    );
  });
});
