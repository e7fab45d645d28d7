/**
 * Conduit as a whole: its routes match the specification, its errors have one format, and devtools see the layers but no
 * secret.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Trace } from "@framework/devtools";
import { createApp } from "./app.ts";
import { Database } from "./database/database.ts";
import { conduitDocument } from "./document.ts";
import { failed, type OpenConduit, openConduit } from "./testing.ts";

let conduit: OpenConduit;

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "conduit-"));
  const database = await Database.open(folder);
  await database.change("insert into users (email, username, password_hash) values ('k@k.k', 'kept', 'none')");
  await database.close();
  conduit = await openConduit(folder);
});
after(async () => {
  await conduit.close();
  await rm(folder, { recursive: true });
});

/** Every operation of the OpenAPI description, version 2.0.0. */
const specified = [
  "DELETE /articles/{slug}",
  "DELETE /articles/{slug}/comments/{id}",
  "DELETE /articles/{slug}/favorite",
  "DELETE /profiles/{username}/follow",
  "GET /articles",
  "GET /articles/feed",
  "GET /articles/{slug}",
  "GET /articles/{slug}/comments",
  "GET /profiles/{username}",
  "GET /tags",
  "GET /user",
  "POST /articles",
  "POST /articles/{slug}/comments",
  "POST /articles/{slug}/favorite",
  "POST /profiles/{username}/follow",
  "POST /users",
  "POST /users/login",
  "PUT /articles/{slug}",
  "PUT /user",
];

describe("createApp", () => {
  it("has a route for every operation of the specification, and no other under /api", () => {
    const routes = conduit.app.routes().filter(({ path }) => path.startsWith("/api/"));
    const names = routes.map(({ method, path }) => `${method} ${path.slice("/api".length)}`);
    assert.deepEqual(names.toSorted(), specified);
  });

  it("sends the framework's own errors in Conduit's format", async () => {
    const lost = await conduit.call("GET", "/nothing");
    assert.deepEqual(lost, failed(404, "request", "nothing is registered at /api/nothing"));
    const method = await conduit.call("PATCH", "/tags");
    assert.deepEqual(method, failed(405, "request", "allowed here: GET, HEAD, OPTIONS"));
  });

  it("finds in its folder what an earlier run stored", async () => {
    const profile = { username: "kept", bio: null, image: null, following: false };
    assert.deepEqual(await conduit.call("GET", "/profiles/kept"), { status: 200, body: { profile } });
  });

  it("serves its document", async () => {
    const response = await fetch(`http://localhost:${conduit.app.port}/openapi.json`);
    assert.deepEqual(await response.json(), JSON.parse(JSON.stringify(conduitDocument())));
  });

  it("rejects a secret that is too short", async () => {
    await assert.rejects(createApp({ jwtSecret: "short" }), /JWT_SECRET has fewer than 32 bytes/);
  });

  it("shows devtools every layer of a request, and no password, token or hash", async () => {
    const { call } = await conduit.user("private");
    await call("POST", "/articles", { article: { title: "T", description: "d", body: "b" } });
    const response = await fetch(`http://localhost:${conduit.app.port}/framework/dev/api/requests`);
    const text = await response.text();
    const [publish, register] = JSON.parse(text) as readonly Trace[];
    const beans = (trace: Trace | undefined): readonly string[] => [...new Set(trace?.calls.map(({ bean }) => bean))];
    assert.deepEqual(beans(register), [
      "UserController",
      "UserService",
      "PasswordHasher",
      "UserRepository",
      "TokenSigner",
      "Clock",
    ]);
    assert.deepEqual(beans(publish), [
      "SessionService",
      "TokenSigner",
      "Clock",
      "UserRepository",
      "ArticleController",
      "ArticleService",
      "SlugMaker",
      "ArticleRepository",
    ]);
    assert.deepEqual(text.match(/private-secret|scrypt\$|eyJ/g), null);
  });

  it("responds with 500 without details, and logs the error, when the database is closed", async () => {
    await conduit.beans.get(Database).close();
    const response = await conduit.call("GET", "/tags");
    const health = await fetch(`http://localhost:${conduit.app.port}/health`);
    const logged = conduit.lines.filter((line) => line.startsWith("GET /api/tags failed (request id"));
    assert.deepEqual(response, failed(500, "server", "something went wrong on our side"));
    assert.deepEqual([health.status, logged.length], [503, 1]);
  });
});
